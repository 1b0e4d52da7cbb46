/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A call of each primitive that interface_test.c has no other of, and has no name of: a few items, what they give. */

/* `primitive`, its `config` and its `args`, with their defaults. */
#define OF(stem)                      \
  weft_##stem* primitive = NULL;      \
  weft_##stem##_config config;        \
  weft_##stem##_args args;            \
  weft_##stem##_config_init(&config); \
  weft_##stem##_args_init(&args)
#define CREATE(stem)                                                 \
  WORKS(weft_##stem##_create(context, &config, &primitive, &error)); \
  begin()
#define RUN(stem)                                                  \
  WORKS(weft_##stem##_record(primitive, commands, &args, &error)); \
  end();                                                           \
  weft_##stem##_destroy(primitive)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TAKE(array) take_copy(array, sizeof(array))
#define EXPECT(range, array) CHECK(memcmp(at(range), array, sizeof(array)) == 0)

static uint32_t word_at(weft_buffer_range range) { return *(const uint32_t*)at(range); }

static void adjacent_difference(void) {
  const uint32_t input[4] = {3, 5, 4, 9}, output[4] = {3, 2, UINT32_MAX, 5};
  OF(adjacent_difference);
  CREATE(adjacent_difference);
  args.input = TAKE(input);
  args.output = take(sizeof(output));
  args.count = weft_count_of(COUNT(input));
  RUN(adjacent_difference);
  EXPECT(args.output, output);
}

static void searches(void) {
  const uint32_t haystack[5] = {1, 4, 4, 4, 9}, needles[3] = {0, 4, 10}, lower[3] = {0, 1, 5}, upper[3] = {0, 4, 5};
  {
    OF(binary_search);
    config.bound = WEFT_BOUND_UPPER;
    CREATE(binary_search);
    args.needles = TAKE(needles);
    args.haystack = TAKE(haystack);
    args.output = take(sizeof(upper));
    args.needle_count = weft_count_of(COUNT(needles));
    args.haystack_count = weft_count_of(COUNT(haystack));
    RUN(binary_search);
    EXPECT(args.output, upper);
  }
  {
    OF(sorted_search);
    CREATE(sorted_search);
    args.needles = TAKE(needles);
    args.haystack = TAKE(haystack);
    args.output = take(sizeof(lower));
    args.scratch = take(weft_sorted_search_scratch_size(primitive, COUNT(needles), COUNT(haystack)));
    args.needle_count = weft_count_of(COUNT(needles));
    args.haystack_count = weft_count_of(COUNT(haystack));
    RUN(sorted_search);
    EXPECT(args.output, lower);
  }
}

static void bulk_moves(void) {
  const uint32_t before[4] = {10, 11, 12, 13}, at_1_and_3[2] = {1, 3}, more[2] = {7, 8};
  const uint32_t removed[2] = {10, 12}, inserted[6] = {10, 7, 11, 12, 8, 13};
  {
    OF(bulk_remove);
    CREATE(bulk_remove);
    args.items = TAKE(before);
    args.indices = TAKE(at_1_and_3);
    args.output = take(sizeof(before));
    args.kept = take(8);
    args.scratch = take(weft_bulk_remove_scratch_size(primitive, COUNT(before)));
    args.count = weft_count_of(COUNT(before));
    args.index_count = weft_count_of(COUNT(at_1_and_3));
    RUN(bulk_remove);
    EXPECT(args.output, removed);
    CHECK(word_at(args.kept) == COUNT(removed));
  }
  {
    OF(bulk_insert);
    CREATE(bulk_insert);
    args.items = TAKE(before);
    args.inserted = TAKE(more);
    args.positions = TAKE(at_1_and_3);
    args.output = take(sizeof(inserted));
    args.total = take(8);
    args.scratch = take(weft_bulk_insert_scratch_size(primitive, COUNT(before), COUNT(more)));
    args.count = weft_count_of(COUNT(before));
    args.inserted_count = weft_count_of(COUNT(more));
    RUN(bulk_insert);
    EXPECT(args.output, inserted);
    CHECK(word_at(args.total) == COUNT(inserted));
  }
}

static void dispatch_arguments(void) {
  const uint32_t number = 1000, groups[3] = {16, 1, 1};
  OF(dispatch_arguments);
  CREATE(dispatch_arguments);
  args.count = weft_count_on_device(take_copy(&number, sizeof(number)), 5000);
  args.items_per_workgroup = 64;
  args.output = take(sizeof(groups));
  RUN(dispatch_arguments);
  EXPECT(args.output, groups);
}

static void histogram(void) {
  const uint32_t input[6] = {0, 1, 10, 19, 25, 30}, bins[3] = {2, 2, 1};
  OF(histogram);
  config.bins = COUNT(bins);
  CREATE(histogram);
  args.input = TAKE(input);
  args.output = take(sizeof(bins));
  args.count = weft_count_of(COUNT(input));
  args.lower = 0;
  args.upper = 30;
  RUN(histogram);
  EXPECT(args.output, bins);
}

/* What all of them have of intervals of 2, 0 and 3. */
enum { interval_outputs = 5 };
static const uint32_t interval_counts[3] = {2, 0, 3};
#define INTERVALS(stem, lengths)                                                      \
  args.lengths = TAKE(interval_counts);                                               \
  args.total = take(8);                                                               \
  args.status = take(8);                                                              \
  args.scratch = take(weft_##stem##_scratch_size(primitive, COUNT(interval_counts))); \
  args.count = weft_count_of(COUNT(interval_counts));                                 \
  args.max_output = interval_outputs;                                                 \
  RUN(stem);                                                                          \
  CHECK(word_at(args.total) == interval_outputs && word_at(args.status) == 0)

/* A kernel of the program's own, as the build has it for tests: each value, times a, and its rank. */
static void transform(const char* kernels, const uint32_t* values, const uint32_t* expanded) {
  static const char* const names[2] = {"transform_lbs.native", "transform_lbs.emulated"};
  static uint32_t words[2][1 << 16];
  weft_kernel_code codes[2];
  weft_kernel_set* set = NULL;
  uint32_t i;
  OF(transform_lbs);
  CHECK(weft_transform_lbs_create(context, &config, &primitive, &error) != WEFT_SUCCESS && primitive == NULL);
  for (i = 0; i < 2; ++i) {
    char path[1024];
    FILE* file;
    snprintf(path, sizeof(path), "%s/%s.spv", kernels, names[i]);
    file = fopen(path, "rb");
    codes[i].name = names[i];
    codes[i].words = words[i];
    codes[i].word_count = file == NULL ? 0 : fread(words[i], 4, COUNT(words[i]), file);
    CHECK(codes[i].word_count > 0 && codes[i].word_count < COUNT(words[i]));
    if (file != NULL) fclose(file);
  }
  WORKS(weft_kernel_set_create("repeat_values", "transform_lbs", codes, 2, &set, &error));
  config.own_kernels = set;
  CREATE(transform_lbs);
  weft_kernel_set_destroy(set);
  args.buffers[0] = take_copy(values, 3 * sizeof(uint32_t));
  args.buffers[1] = take(interval_outputs * 2 * sizeof(uint32_t));
  args.a = 100;
  args.b = interval_outputs;
  INTERVALS(transform_lbs, counts);
  for (i = 0; i < interval_outputs; ++i) {
    const uint32_t* pair = (const uint32_t*)at(args.buffers[1]) + 2 * i;
    CHECK(pair[0] == 100 * expanded[i] && pair[1] == (i < 2 ? i : i - 2));
  }
}

static void intervals(const char* kernels) {
  const uint32_t values[3] = {50, 60, 70}, expanded[5] = {50, 50, 70, 70, 70}, sources[5] = {0, 0, 2, 2, 2};
  {
    OF(interval_expand);
    CREATE(interval_expand);
    args.values = TAKE(values);
    args.output = take(sizeof(expanded));
    INTERVALS(interval_expand, counts);
    EXPECT(args.output, expanded);
  }
  {
    OF(run_length_decode);
    CREATE(run_length_decode);
    args.symbols = TAKE(values);
    args.output = take(sizeof(expanded));
    INTERVALS(run_length_decode, lengths);
    EXPECT(args.output, expanded);
  }
  {
    OF(load_balance_search);
    CREATE(load_balance_search);
    args.sources = take(sizeof(sources));
    INTERVALS(load_balance_search, counts);
    EXPECT(args.sources, sources);
  }
  {
    const uint32_t input[6] = {1, 2, 3, 4, 5, 6}, from[3] = {4, 0, 1}, to[3] = {0, 0, 3};
    const uint32_t output[6] = {5, 6, 0xa5a5a5a5u, 2, 3, 4};
    OF(interval_move);
    CREATE(interval_move);
    args.input = TAKE(input);
    args.gather = TAKE(from);
    args.scatter = TAKE(to);
    args.output = take(sizeof(output));
    INTERVALS(interval_move, counts);
    EXPECT(args.output, output);
  }
  transform(kernels, values, expanded);
}

static void by_key(void) {
  const uint32_t keys[5] = {8, 8, 3, 8, 8}, values[5] = {1, 2, 3, 4, 5};
  const uint32_t runs[3] = {8, 3, 8}, sums[3] = {3, 3, 9}, lengths[3] = {2, 1, 2}, prefixes[5] = {0, 1, 0, 0, 4};
  {
    OF(scan_by_key);
    CREATE(scan_by_key);
    args.keys = TAKE(keys);
    args.values = TAKE(values);
    args.output = take(sizeof(prefixes));
    args.scratch = take(weft_scan_by_key_scratch_size(primitive, COUNT(keys)));
    args.count = weft_count_of(COUNT(keys));
    RUN(scan_by_key);
    EXPECT(args.output, prefixes);
  }
  {
    OF(reduce_by_key);
    CREATE(reduce_by_key);
    args.keys = TAKE(keys);
    args.values = TAKE(values);
    args.keys_out = take(sizeof(keys));
    args.values_out = take(sizeof(keys));
    args.count_out = take(4);
    args.scratch = take(weft_reduce_by_key_scratch_size(primitive, COUNT(keys)));
    args.count = weft_count_of(COUNT(keys));
    RUN(reduce_by_key);
    EXPECT(args.keys_out, runs);
    EXPECT(args.values_out, sums);
    CHECK(word_at(args.count_out) == COUNT(runs));
  }
  {
    OF(run_length_encode);
    CREATE(run_length_encode);
    args.input = TAKE(keys);
    args.symbols = take(sizeof(keys));
    args.lengths = take(sizeof(keys));
    args.run_count = take(4);
    args.scratch = take(weft_run_length_encode_scratch_size(primitive, COUNT(keys)));
    args.count = weft_count_of(COUNT(keys));
    RUN(run_length_encode);
    EXPECT(args.symbols, runs);
    EXPECT(args.lengths, lengths);
    CHECK(word_at(args.run_count) == COUNT(runs));
  }
}

static void segments(void) {
  const uint32_t of[6] = {9, 7, 8, 3, 1, 2}, offsets[4] = {0, 3, 3, 6};
  const uint32_t sums[3] = {24, 0, 6}, prefixes[6] = {0, 9, 16, 0, 3, 4}, sorted[6] = {7, 8, 9, 1, 2, 3};
  {
    OF(segmented_reduce);
    CREATE(segmented_reduce);
    args.items = TAKE(of);
    args.offsets = TAKE(offsets);
    args.output = take(sizeof(sums));
    args.scratch = take(weft_segmented_reduce_scratch_size(primitive, COUNT(sums), COUNT(of)));
    args.count = weft_count_of(COUNT(sums));
    args.item_count = weft_count_of(COUNT(of));
    RUN(segmented_reduce);
    EXPECT(args.output, sums);
  }
  {
    OF(segmented_scan);
    CREATE(segmented_scan);
    args.items = TAKE(of);
    args.offsets = TAKE(offsets);
    args.output = take(sizeof(prefixes));
    args.scratch = take(weft_segmented_scan_scratch_size(primitive, COUNT(of)));
    args.count = weft_count_of(COUNT(sums));
    args.item_count = weft_count_of(COUNT(of));
    RUN(segmented_scan);
    EXPECT(args.output, prefixes);
  }
  {
    OF(segmented_sort);
    CREATE(segmented_sort);
    args.keys = TAKE(of);
    args.offsets = TAKE(offsets);
    args.keys_out = take(sizeof(sorted));
    args.scratch = take(weft_segmented_sort_scratch_size(primitive, COUNT(of)));
    args.count = weft_count_of(COUNT(sums));
    args.key_count = weft_count_of(COUNT(of));
    RUN(segmented_sort);
    EXPECT(args.keys_out, sorted);
  }
}

static void more_sorts(void) {
  const uint32_t keys[5] = {4, 9, 1, 9, 6}, sorted[5] = {1, 4, 6, 9, 9}, largest[3] = {9, 9, 6};
  const uint32_t a[3] = {1, 4, 6}, b[3] = {4, 5, 6}, in_both[2] = {4, 6};
  {
    OF(merge_sort);
    CREATE(merge_sort);
    args.keys = TAKE(keys);
    args.keys_out = take(sizeof(sorted));
    args.scratch = take(weft_merge_sort_scratch_size(primitive, COUNT(keys)));
    args.count = weft_count_of(COUNT(keys));
    RUN(merge_sort);
    EXPECT(args.keys_out, sorted);
  }
  {
    OF(top_k);
    CREATE(top_k);
    args.keys = TAKE(keys);
    args.keys_out = take(sizeof(largest));
    args.scratch = take(weft_top_k_scratch_size(primitive, COUNT(keys)));
    args.count = weft_count_of(COUNT(keys));
    args.k = COUNT(largest);
    RUN(top_k);
    EXPECT(args.keys_out, largest);
  }
  {
    OF(set_operation);
    config.operation = WEFT_SET_OPERATOR_SET_INTERSECTION;
    CREATE(set_operation);
    args.keys_a = TAKE(a);
    args.keys_b = TAKE(b);
    args.keys_out = take(sizeof(a));
    args.total = take(4);
    args.status = take(4);
    args.scratch = take(weft_set_operation_scratch_size(primitive, COUNT(a), COUNT(b)));
    args.count_a = weft_count_of(COUNT(a));
    args.count_b = weft_count_of(COUNT(b));
    args.max_output = COUNT(a);
    RUN(set_operation);
    EXPECT(args.keys_out, in_both);
    CHECK(word_at(args.total) == COUNT(in_both) && word_at(args.status) == 0);
  }
}

/* A tile stream of one page of 65,536 zeros; without the driver's own both decode it alike. */
static void gdeflate(void) {
  static const uint32_t stream_of_zeros[38] = {0x0001fb04, 1, 140, 0x63, 0x00fffca3};
  static const unsigned char zeros[1 << 16];
  weft_gdeflate_page page;
  size_t count = 0;
  int i;
  WORKS(weft_gdeflate_pages(stream_of_zeros, sizeof(stream_of_zeros), 0, 0, &page, 1, &count, &error));
  CHECK(count == 1 && page.bytes == sizeof(zeros));
  for (i = 0; i < 2; ++i) {
    weft_decompress* decompress = NULL;
    OF(gdeflate_decode);
    WORKS(weft_decompress_create(context, NULL, &decompress, &error));
    CHECK(weft_decompress_get_path(decompress) == WEFT_DECOMPRESS_PATH_WEFT);
    CREATE(gdeflate_decode);
    args.pages = take_copy(&page, sizeof(page));
    args.page_count = weft_count_of(1);
    args.source = TAKE(stream_of_zeros);
    args.output = take(sizeof(zeros));
    args.status = take(8);
    memset(mapped + args.status.offset, 0, 4);
    if (i == 0) {
      args.scratch = take(weft_gdeflate_decode_scratch_size(primitive, 1));
      WORKS(weft_gdeflate_decode_record(primitive, commands, &args, &error));
    } else {
      args.scratch = take(weft_decompress_scratch_size(decompress, 1));
      WORKS(weft_decompress_record(decompress, commands, &args, &error));
    }
    end();
    EXPECT(args.output, zeros);
    CHECK(word_at(args.status) == 0);
    weft_gdeflate_decode_destroy(primitive);
    weft_decompress_destroy(decompress);
  }
}

static void every_other_primitive(const char* kernels) {
  adjacent_difference();
  searches();
  bulk_moves();
  dispatch_arguments();
  histogram();
  intervals(kernels);
  by_key();
  segments();
  more_sorts();
  gdeflate();
}
