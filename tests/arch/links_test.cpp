// Links between devices of a model, by what its file says of them.
#include "arch/links.hpp"

#include <gtest/gtest.h>

namespace warpwright::arch {
namespace links_test {

TEST(LinksOfModels, FollowTheTopology) {
    auto model = load_model("h200");
    ASSERT_TRUE(model.ok()) << model.error().text();
    const auto nvlink = link_of(*model, 4, Topology::nvlink), pcie = link_of(*model, 4, Topology::pcie);
    ASSERT_TRUE(nvlink.ok() && pcie.ok());
    EXPECT_EQ(nvlink->rate, model->ceilings.peer_copy) << "as measured";
    EXPECT_EQ(nvlink->access, model->ceilings.peer_access);
    EXPECT_TRUE(nvlink->direct);
    EXPECT_EQ(pcie->rate, model->ceilings.to_host) << "the slower direction";
    EXPECT_FALSE(pcie->direct);
    for (const auto& link : {*nvlink, *pcie}) {
        EXPECT_EQ(link.staged, model->ceilings.peer_staged);
        EXPECT_EQ(link.staged_latency, model->links.staged_latency);
    }
    EXPECT_EQ(link_of(*model, 4).rate, 450e9) << "the data sheet's, where nobody has chosen";
}

TEST(LinksOfModels, ThatHaveNoNvlinkSaySo) {
    auto model = load_model("rtx5090");
    ASSERT_TRUE(model.ok()) << model.error().text();
    const auto link = link_of(*model, 2, Topology::nvlink);
    ASSERT_FALSE(link.ok());
    EXPECT_NE(link.error().text().find("has no NVLink between 2 devices"), std::string::npos);
    EXPECT_FALSE(link_of(*model, 2).direct);
    EXPECT_FALSE(parse_topology("ring"));
    EXPECT_EQ(parse_topology("pcie"), Topology::pcie);
}

}  // namespace links_test
}  // namespace warpwright::arch
