// Products and sums of sparse matrices: every product of two entries, or every entry, gets the place in C that it adds
// to as its key; the sorted keys say which entries C has, and its values are sums in a fixed order. Which entries are
// dropped for their size is here too.
#include <limits>

#include "libraries/cusparse/work.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries::sparse {
namespace {

/// The memory for `count` keys of an m by n matrix, and where each entry of C begins among them.
struct Merging {
    Sort sort;
    std::int64_t *sums, *heads, *distinct;
    Scan scan;
    int place_bits;
    Merging(Room& room, std::int64_t count, std::int64_t m, std::int64_t n)
        : sort(room, count, bits_of(m) + bits_of(n)),
          sums(room.take<std::int64_t>(count + 1)),
          heads(room.take<std::int64_t>(count + 1)),
          distinct(room.take<std::int64_t>(count + 1)),
          scan(room, count + 1),
          place_bits(bits_of(n)) {}
    /// Behind the kernels that made the keys: how many places there are.
    Status run(const Context& context, std::int64_t& places) {
        const std::int64_t count = sort.count;
        WW_STEP(sort.run(context));
        WW_STEP(launch(context, "sparse_heads", count + 1, 1, sort.keys, count, sums));
        WW_STEP(scan.run(context, sums));
        WW_STEP(launch(context, "sparse_place_heads", count + 1, 1, sort.keys, count, sums, heads, distinct));
        return read(context, sums + count, places);
    }
    Status write_starts(const Context& context, std::int64_t places, std::int64_t lines,
                        ww_sparse::Indices starts) const {
        return launch(context, "sparse_starts_of_keys", lines + 1, 1, distinct, places, place_bits, lines, starts);
    }
    Status write_places(const Context& context, std::int64_t count, ww_sparse::Indices places) const {
        if (count == 0) return CUSPARSE_STATUS_SUCCESS;
        return launch(context, "sparse_of_keys", count, 1, distinct, count, place_bits, indices_of(nullptr), places);
    }
};

/// A product between its steps.
struct State {
    void *first = nullptr, *merging = nullptr;  ///< the program's memory of the first two steps
    std::int64_t products = -1, places = -1;
    unsigned* order = nullptr;
};
HandleTable<cusparseSpGEMMDescr_t, State>& states() {
    static auto* all = new HandleTable<cusparseSpGEMMDescr_t, State>;
    return *all;
}

struct Found {
    std::shared_ptr<Context> context;
    std::shared_ptr<State> state;
    std::shared_ptr<SpMat> a, b, c;
    Status status = CUSPARSE_STATUS_SUCCESS;
};
Found find_all(const SparseProduct& p, Handle h, cusparseSpGEMMDescr_t d) {
    Found f{find(h), states().find(d), find(p.a), find(p.b), find(p.c), CUSPARSE_STATUS_SUCCESS};
    if (!f.context) {
        f.status = no_context(h);
    } else if (!f.state || !f.a || !f.b || !f.c || f.a->cols != f.b->rows || f.a->rows != f.c->rows ||
               f.b->cols != f.c->cols) {
        f.status = CUSPARSE_STATUS_INVALID_VALUE;
    } else {
        for (const auto& m : {f.a, f.b, f.c})
            if (m->format != CUSPARSE_FORMAT_CSR || m->batches != 1 || !is_result(m->type, p.compute))
                f.status = CUSPARSE_STATUS_NOT_SUPPORTED;
        if (p.op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || p.op_b != CUSPARSE_OPERATION_NON_TRANSPOSE ||
            !name_of(p.compute) || p.compute == CUDA_R_32I)
            f.status = CUSPARSE_STATUS_NOT_SUPPORTED;
        if (f.status == CUSPARSE_STATUS_NOT_SUPPORTED)
            (void)not_supported("a product of sparse matrices that are transposed, not by rows, or of these types");
        else if (!has_memory(*f.a) || !has_memory(*f.b))
            f.status = CUSPARSE_STATUS_INVALID_VALUE;
    }
    return f;
}

}  // namespace

Status create_merge(cusparseSpGEMMDescr_t* d) {
    if (!d) return CUSPARSE_STATUS_INVALID_VALUE;
    *d = states().add(std::make_shared<State>());
    return CUSPARSE_STATUS_SUCCESS;
}
Status destroy_merge(cusparseSpGEMMDescr_t d) {
    return !d || states().take(d) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
Status merge_products(cusparseSpGEMMDescr_t d, std::int64_t* products) {
    const auto state = states().find(d);
    if (!state || !products || state->products < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    *products = state->products;
    return CUSPARSE_STATUS_SUCCESS;
}

Status merge_count(const SparseProduct& p, Handle h, cusparseSpGEMMDescr_t d, std::size_t* bytes, void* memory) {
    auto f = find_all(p, h, d);
    WW_STEP(f.status);
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(memory);
    auto* const first = room.take<std::int64_t>(f.a->nnz + 1);
    const Scan scan(room, f.a->nnz + 1);
    if (!memory) {
        *bytes = room.bytes();
        return CUSPARSE_STATUS_SUCCESS;
    }
    if (*bytes < room.bytes()) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    WW_STEP(launch(*f.context, "sparse_count_products", f.a->nnz + 1, 1, matrix_of(*f.a), matrix_of(*f.b), first));
    WW_STEP(scan.run(*f.context, first));
    std::int64_t products = 0;
    WW_STEP(read(*f.context, first + f.a->nnz, products));
    // The numbers of products have 32 bits.
    if (products > std::numeric_limits<int>::max()) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    *f.state = {first, nullptr, products, -1, nullptr};
    return CUSPARSE_STATUS_SUCCESS;
}

Status merge_order(const SparseProduct& p, Handle h, cusparseSpGEMMDescr_t d, std::size_t* bytes, void* memory) {
    auto f = find_all(p, h, d);
    WW_STEP(f.status);
    if (!bytes || f.state->products < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(memory);
    Merging merging(room, f.state->products, f.a->rows, f.b->cols);
    if (!memory) {
        *bytes = room.bytes();
        return CUSPARSE_STATUS_SUCCESS;
    }
    if (*bytes < room.bytes()) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    if (f.state->products > 0)
        WW_STEP(launch(*f.context, "sparse_product_keys", f.state->products, 1, matrix_of(*f.a), matrix_of(*f.b),
                       f.state->first, f.state->products, merging.place_bits, merging.sort.keys, merging.sort.order));
    WW_STEP(merging.run(*f.context, f.state->places));
    f.state->merging = memory;
    f.state->order = merging.sort.order;
    f.c->nnz = f.state->places;
    return CUSPARSE_STATUS_SUCCESS;
}

Status merge_sum(const SparseProduct& p, Handle h, cusparseSpGEMMDescr_t d, const void* alpha, const void* beta) {
    auto f = find_all(p, h, d);
    WW_STEP(f.status);
    if (!f.state->merging || !alpha || !beta || f.c->nnz != f.state->places || !has_memory(*f.c))
        return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(f.state->merging);
    const Merging merging(room, f.state->products, f.a->rows, f.b->cols);
    ww_sparse::Merge m{};
    m.a = matrix_of(*f.a);
    m.b = matrix_of(*f.b);
    m.c = matrix_of(*f.c);
    WW_STEP(merging.write_starts(*f.context, f.state->places, f.a->rows, m.c.starts));
    WW_STEP(merging.write_places(*f.context, f.state->places, m.c.places));
    if (f.state->places == 0) return CUSPARSE_STATUS_SUCCESS;
    m.products = 1;
    m.first = static_cast<const ww_sparse::i64*>(f.state->first);
    m.order = f.state->order;
    m.heads = reinterpret_cast<const ww_sparse::i64*>(merging.heads);
    m.alpha = factor(*f.context, alpha, p.compute);
    m.beta = factor(*f.context, beta, p.compute);
    return launch(*f.context, std::string("sparse_merge_") + name_of(p.compute), f.state->places, 1, m);
}

namespace {

bool are_good(int m, int n, const Rows& r) {
    return find(r.descr) && m >= 0 && n >= 0 && r.nnz >= 0 && r.starts && (r.nnz == 0 || r.places);
}
/// The keys of both matrices, merged.
Status merge_rows(const Context& context, Merging& merging, int m, int n, const Rows& a, const Rows& b,
                  std::int64_t& places) {
    std::int64_t before = 0;
    for (const Rows* r : {&a, &b}) {
        if (r->nnz > 0)
            WW_STEP(launch(context, "sparse_keys", r->nnz, 1, matrix_of(*r, m, n, find(r->descr)->base, CUDA_R_32F),
                           merging.place_bits, before, merging.sort.keys, merging.sort.order));
        before += r->nnz;
    }
    return merging.run(context, places);
}

}  // namespace

Status sum_room(Handle h, int m, int n, const Rows& a, const Rows& b, std::size_t* bytes) {
    if (!find(h)) return no_context(h);
    if (m < 0 || n < 0 || a.nnz < 0 || b.nnz < 0 || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(nullptr);
    const Merging merging(room, std::int64_t{a.nnz} + b.nnz, m, n);
    *bytes = room.bytes();
    return CUSPARSE_STATUS_SUCCESS;
}
Status sum_count(Handle h, int m, int n, const Rows& a, const Rows& b, cusparseMatDescr_t c, int* c_starts, int* total,
                 void* memory) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto descr = find(c);
    if (!are_good(m, n, a) || !are_good(m, n, b) || !descr || !c_starts || !total || !memory)
        return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(memory);
    Merging merging(room, std::int64_t{a.nnz} + b.nnz, m, n);
    std::int64_t places = 0;
    WW_STEP(merge_rows(*context, merging, m, n, a, b, places));
    WW_STEP(merging.write_starts(*context, places, m, indices_of(c_starts, false, descr->base)));
    return give(*context, places, total);
}
Status sum(Handle h, int m, int n, cudaDataType type, const void* alpha, const Rows& a, const void* beta, const Rows& b,
           cusparseMatDescr_t c, void* c_values, int* c_starts, int* c_places, void* memory) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto descr = find(c);
    if (!are_good(m, n, a) || !are_good(m, n, b) || !descr || !alpha || !beta || !c_starts || !memory)
        return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(memory);
    Merging merging(room, std::int64_t{a.nnz} + b.nnz, m, n);
    std::int64_t places = 0;
    // The program's memory may have been used for something else since the entries were counted.
    WW_STEP(merge_rows(*context, merging, m, n, a, b, places));
    if (places == 0) return CUSPARSE_STATUS_SUCCESS;
    if (!c_values || !c_places) return CUSPARSE_STATUS_INVALID_VALUE;
    WW_STEP(merging.write_places(*context, places, indices_of(c_places, false, descr->base)));
    ww_sparse::Merge merge{};
    merge.a = matrix_of(a, m, n, find(a.descr)->base, type);
    merge.b = matrix_of(b, m, n, find(b.descr)->base, type);
    merge.c.entries = places;
    merge.c.values = c_values;
    merge.c.type = type;
    merge.order = merging.sort.order;
    merge.heads = reinterpret_cast<const ww_sparse::i64*>(merging.heads);
    merge.alpha = factor(*context, alpha, type);
    merge.beta = factor(*context, beta, type);
    return launch(*context, std::string("sparse_merge_") + name_of(type), places, 1, merge);
}

namespace {

/// Running sums of each line's count in memory of our own, since the interface has none for it. `use` has them.
template <class Use>
Status with_sums(const Context& context, const int* counts, int lines, Use use) {
    Room sizes(nullptr);
    sizes.take<std::int64_t>(lines + std::int64_t{1});
    const Scan sized(sizes, lines + std::int64_t{1});
    void* memory = nullptr;
    WW_STEP(status_of(cudart::impl::cudaMallocAsync(&memory, sizes.bytes(), context.stream)));
    Room room(memory);
    auto* const sums = room.take<std::int64_t>(lines + std::int64_t{1});
    const Scan scan(room, lines + std::int64_t{1});
    auto s = launch(context, "sparse_widen", lines + std::int64_t{1}, 1, counts, std::int64_t{lines}, sums);
    if (s == CUSPARSE_STATUS_SUCCESS) s = scan.run(context, sums);
    if (s == CUSPARSE_STATUS_SUCCESS) s = use(sums);
    const auto freed = status_of(cudart::impl::cudaFreeAsync(memory, context.stream));
    return s == CUSPARSE_STATUS_SUCCESS ? freed : s;
}

ww_sparse::Compress compress_of(const Rows& a, int m, int n, int type, const int* counts, const void* least) {
    ww_sparse::Compress c{};
    c.a = matrix_of(a, m, n, find(a.descr)->base, type);
    c.least[0] = real_at(least, type, 0);
    c.counts = const_cast<int*>(counts);
    return c;
}

}  // namespace

Status count_large(Handle h, int m, cusparseMatDescr_t descr, cudaDataType type, const void* values, const int* starts,
                   int* counts, int* total, const void* least) {
    const auto context = find(h);
    if (!context) return no_context(h);
    if (!find(descr) || m < 0 || !total || real_at(least, type, 0) < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    if (m == 0) return give(*context, 0, total);
    if (!values || !starts || !counts) return CUSPARSE_STATUS_INVALID_VALUE;
    const auto c = compress_of({descr, 0, values, starts, nullptr}, m, 0, type, counts, least);
    WW_STEP(launch(*context, std::string("sparse_count_large_") + name_of(type), m, 1, c));
    std::int64_t all = 0;
    WW_STEP(with_sums(*context, counts, m, [&](const std::int64_t* sums) { return read(*context, sums + m, all); }));
    return give(*context, all, total);
}
Status keep_large(Handle h, int m, int n, const Rows& a, cudaDataType type, const int* counts, void* c_values,
                  int* c_starts, int* c_places, const void* least) {
    const auto context = find(h);
    if (!context) return no_context(h);
    if (!are_good(m, n, a) || (a.nnz > 0 && !a.values) || !counts || !c_starts || real_at(least, type, 0) < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    auto c = compress_of(a, m, n, type, counts, least);
    c.starts = indices_of(c_starts, false, c.a.starts.base);
    c.places = indices_of(c_places, false, c.a.starts.base);
    c.values = c_values;
    return with_sums(*context, counts, m, [&](std::int64_t* sums) {
        c.first = reinterpret_cast<ww_sparse::i64*>(sums);
        return launch(*context, std::string("sparse_keep_large_") + name_of(type), m + std::int64_t{1}, 1, c);
    });
}

}  // namespace warpwright::libraries::sparse
