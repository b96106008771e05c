// The server, asked as browsers and attackers ask it, with a judge that is made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/files.hpp"
#include "serve/server.hpp"

namespace warpwright::serve {
namespace server_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Served : public testing::Test {
protected:
    void SetUp() override {
        auto course = learn::read_course(WARPWRIGHT_SOURCE_DIR "/course");
        ASSERT_TRUE(course) << course.error().text();
        ServerOptions options;
        options.progress = folder_.string();
        auto users = Users::read(
            folder_.write("u.toml", "[users]\nanna = \"0123456789abcdef\"\nbert = \"fedcba9876543210\"\n").string(), 3);
        ASSERT_TRUE(users);
        auto server = Server::open(
            *course, std::move(*users),
            [this](const Attempt& a, const std::atomic<bool>&) -> Result<std::string> {
                asked_ = a;
                if (a.text == "broken") return Error{ErrorKind::fault, "it ended the judge", Location{}, ""};
                return json({{"schema", 1},
                             {"done", a.text == "right"},
                             {"causes", {{{"seen", "banks"}, {"fix", "pad the rows"}}}}})
                    .dump();
            },
            options);
        ASSERT_TRUE(server) << server.error().text();
        server_ = std::move(*server);
        thread_ = std::jthread([this] { server_->run(); });
        client_ = std::make_unique<httplib::Client>("127.0.0.1", server_->port());
    }
    void TearDown() override {
        if (server_) server_->stop();
    }

    httplib::Headers token(const std::string& text = "0123456789abcdef") const {
        return {{"Authorization", "Bearer " + text}};
    }
    httplib::Result judge(const json& body, const std::string& user = "0123456789abcdef") {
        return client_->Post("/api/judge", token(user), body.dump(), "application/json");
    }

    const test::Folder folder_;
    Attempt asked_;
    std::unique_ptr<Server> server_;
    std::jthread thread_;
    std::unique_ptr<httplib::Client> client_;
};

TEST(HostToOpen, IsOneThatABrowserCanOpen) {
    ServerOptions o;
    EXPECT_EQ(host_to_open(o), "127.0.0.1");
    o.address = "0.0.0.0";
    EXPECT_EQ(host_to_open(o), "localhost");
    o.names = {"gpu.example.org", "other.example.org"};
    EXPECT_EQ(host_to_open(o), "gpu.example.org");
    o.address = "::";
    EXPECT_EQ(host_to_open(o), "gpu.example.org");
    o.address = "::1";
    EXPECT_EQ(host_to_open(o), "[::1]");
    // A proxy has the name, at a port of its own.
    o.address = "127.0.0.1";
    EXPECT_EQ(host_to_open(o), "127.0.0.1");
}

TEST_F(Served, ShowsThePageToAnybodyAndNothingElse) {
    auto page = client_->Get("/");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
    for (const char* file : {"/page.js", "/page.css", "/codemirror.js", "/codemirror.css", "/clike.js"})
        EXPECT_EQ(client_->Get(file)->status, 200) << file;
    for (const char* path : {"/api/course", "/api/words", "/api/exercise/bounds"}) {
        EXPECT_EQ(client_->Get(path)->status, 401) << path;
        EXPECT_EQ(client_->Get(path, token("wrong"))->status, 401) << path;
        EXPECT_EQ(client_->Get(path, token())->status, 200) << path;
    }
    for (const char* path : {"/../u.toml", "/api/exercise/../../u.toml", "/api/exercise/%2e%2e", "/learn.json"})
        EXPECT_NE(client_->Get(path, token())->status, 200) << path;
}

/// Connects and says nothing.
class Silent {
public:
    explicit Silent(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(port));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    }
    ~Silent() { ::close(socket_); }
    Silent(const Silent&) = delete;
    bool connected() const { return connected_; }
    /// Whether the server has given it up.
    bool closed() const {
        char byte = 0;
        return ::recv(socket_, &byte, 1, MSG_DONTWAIT) == 0;
    }

    /// Sends a text; false where the server does not take it any more.
    bool say(const std::string& text) const {
        std::size_t sent = 0;
        while (sent < text.size()) {
            const auto n = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) return false;
            sent += static_cast<std::size_t>(n);
        }
        return true;
    }
    /// What the server says until it closes the connection.
    std::string heard() const {
        std::string out;
        for (char byte = 0; ::recv(socket_, &byte, 1, 0) == 1;) out += byte;
        return out;
    }

private:
    int socket_;
    bool connected_ = false;
};

TEST_F(Served, SilentConnectionsHoldUpNobody) {
    std::deque<Silent> silent;
    for (int k = 0; k < 300; ++k) ASSERT_TRUE(silent.emplace_back(server_->port()).connected());
    const auto page = client_->Get("/");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    // It was served before any of them was given up.
    for (const auto& s : silent) EXPECT_FALSE(s.closed());
    silent.clear();
}

TEST_F(Served, BoundsTheHeadOfARequest) {
    // The lines of a browser's request, twice over, are few.
    httplib::Headers some;
    for (int k = 0; k < 60; ++k) some.emplace("X-" + std::to_string(k), "a");
    ASSERT_TRUE(client_->Get("/", some));
    EXPECT_EQ(client_->Get("/", some)->status, 200);
    httplib::Headers lines = some;
    for (int k = 0; k < 200; ++k) lines.emplace("Y-" + std::to_string(k), "a");
    httplib::Headers bytes;
    for (int k = 0; k < 40; ++k) bytes.emplace("Z-" + std::to_string(k), std::string(4000, 'a'));
    for (const auto& headers : {lines, bytes}) {
        const auto refused = client_->Get("/", headers);
        // It may end the connection before the client has sent all.
        if (refused) EXPECT_EQ(refused->status, 400);
        EXPECT_EQ(client_->Get("/")->status, 200);
    }
    // A line of one letter that ends without CR does not end the head.
    const Silent odd(server_->port());
    ASSERT_TRUE(odd.connected());
    std::string head = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\na\n";
    for (int k = 0; k < 300; ++k) head += "Y-" + std::to_string(k) + ": a\r\n";
    (void)odd.say(head + "Connection: close\r\n\r\n");
    EXPECT_THAT(odd.heard(), Not(HasSubstr("HTTP/1.1 200")));
    // The body is bounded elsewhere, and a head that follows another on the same connection is a new one.
    httplib::Client kept("127.0.0.1", server_->port());
    kept.set_keep_alive(true);
    const std::string body = json({{"exercise", "bounds"}, {"text", std::string(60 << 10, ' ')}}).dump();
    EXPECT_EQ(kept.Post("/api/judge", token(), body, "application/json")->status, 200);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(kept.Get("/", some)->status, 200);
    EXPECT_EQ(kept.Post("/api/judge", token(), body, "application/json")->status, 200);
}

TEST_F(Served, AnswersToItsOwnNamesAlone) {
    auto headers = token();
    headers.emplace("Host", "attacker.example");
    EXPECT_EQ(client_->Get("/api/course", headers)->status, 421);
    EXPECT_EQ(client_->Get("/", {{"Host", "attacker.example:80"}})->status, 421);
}

TEST_F(Served, JudgesAndKeepsEachUsersProgressApart) {
    auto not_yet = judge({{"exercise", "bounds"}, {"text", "wrong"}, {"tab", "t"}});
    ASSERT_TRUE(not_yet);
    EXPECT_EQ(not_yet->status, 200);
    EXPECT_EQ(asked_.user, "anna");
    EXPECT_THAT(not_yet->body, Not(HasSubstr("why")));
    auto done = judge({{"exercise", "bounds"}, {"text", "right"}, {"tab", "t"}});
    EXPECT_TRUE(json::parse(done->body).contains("why"));
    const auto marked = [&](const std::string& user) {
        const json course = json::parse(client_->Get("/api/course", token(user))->body);
        for (const auto& e : course["exercises"])
            if (e["name"] == "bounds") return e["done"].get<bool>();
        ADD_FAILURE() << "the course has no exercise 'bounds'";
        return false;
    };
    EXPECT_TRUE(marked("0123456789abcdef"));
    EXPECT_FALSE(marked("fedcba9876543210"));
    auto hint = client_->Post("/api/hint/bounds", token(), "{}", "application/json");
    EXPECT_EQ(json::parse(hint->body)["hints"].size(), 1u);
    EXPECT_EQ(json::parse(client_->Get("/api/exercise/bounds", token("fedcba9876543210"))->body)["hints"].size(), 0u);
}

TEST_F(Served, TellsWhatMendsACauseWhereTheThirdHintWas) {
    const auto told = [&](const char* text) {
        const auto answer = judge({{"exercise", "bounds"}, {"text", text}}, "fedcba9876543210");
        return answer->body.find("banks") != std::string::npos &&
               answer->body.find("pad the rows") != std::string::npos;
    };
    const auto hint = [&] { client_->Post("/api/hint/bounds", token("fedcba9876543210"), "{}", "application/json"); };
    hint(), hint();
    EXPECT_FALSE(told("wrong"));
    hint();
    EXPECT_TRUE(told("wrong"));
}

TEST_F(Served, TellsASolutionsCausesWithWhatMendsThem) {
    EXPECT_THAT(judge({{"exercise", "bounds"}, {"text", "right"}})->body, HasSubstr("pad the rows"));
}

TEST_F(Served, CompressesNothing) {
    httplib::Headers headers = token();
    headers.emplace("Accept-Encoding", "gzip, deflate, br");
    client_->set_decompress(false);
    for (const char* path : {"/codemirror.js", "/api/words"}) {
        const auto answer = client_->Get(path, headers);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->get_header_value("Content-Encoding"), "") << path;
        EXPECT_EQ(answer->get_header_value("Content-Length"), std::to_string(answer->body.size())) << path;
    }
}

TEST_F(Served, RefusesWhatMakesNoSense) {
    EXPECT_EQ(judge({{"exercise", "nothing"}, {"text", ""}})->status, 400);
    EXPECT_EQ(judge(json::array())->status, 400);
    for (const char* no_json : {"no JSON", "{\"exercise\": \"bounds\", \"text\": \"\xff\"}"}) {
        const auto refused = client_->Post("/api/judge", token(), no_json, "application/json");
        EXPECT_EQ(refused->status, 400);
        EXPECT_THAT(refused->body, HasSubstr("no JSON"));
    }
    EXPECT_EQ(judge({{"exercise", "bounds"}, {"text", std::string(300 << 10, 'x')}})->status, 413);
    auto broken = judge({{"exercise", "bounds"}, {"text", "broken"}});
    EXPECT_EQ(broken->status, 422);
    EXPECT_THAT(broken->body, HasSubstr("it ended the judge"));
}

TEST_F(Served, LimitsHowOftenAUserMayAsk) {
    int refused = 0;
    for (int i = 0; i < 6; ++i) refused += judge({{"exercise", "bounds"}, {"text", "wrong"}})->status == 429;
    EXPECT_GE(refused, 2);
    EXPECT_EQ(judge({{"exercise", "bounds"}, {"text", "wrong"}}, "fedcba9876543210")->status, 200);
}

TEST_F(Served, SaysItInTheLanguageThatIsAskedFor) {
    EXPECT_THAT(client_->Get("/api/exercise/bounds?lang=ru", token())->body, HasSubstr("\xd0\x92\xd1\x8b\xd1\x87"));
    EXPECT_THAT(client_->Get("/api/exercise/bounds?lang=../../x", token())->body,
                HasSubstr("One thread for each element"));
    EXPECT_EQ(json::parse(client_->Get("/api/words?lang=fi", token())->body)["done"], "Valmis");
}

}  // namespace server_test
}  // namespace warpwright::serve
