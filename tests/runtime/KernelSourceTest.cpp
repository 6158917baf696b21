#include "TestKernels.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

TEST(KernelSource, round_trips_through_json) {
  KernelSource source = attention();
  source.text = "// \"quoted\"\n\tline";
  source.options = {"-lineinfo"};
  source.clusterSize = 2;
  source.dependentLaunch = true;
  source.location = "attention.py:3";
  std::get<TensorArg>(source.args[1]).zeroing = Zeroing::WithoutPrograms;
  source.params.push_back({.kind = ParamKind::TensorMap,
                           .argument = 1,
                           .name = "k_map",
                           .map = {{0, 1, 2, 3}, {1, 128, 1, 64}, TensorMapSwizzle::Bytes128}});
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  source.params.push_back({.kind = ParamKind::Workspace, .name = "partials", .bytes = 65536});
  source.params.push_back({.kind = ParamKind::Flags, .name = "flags"});
  source.params.push_back({.kind = ParamKind::Events, .name = "events", .bytes = 65536});
  source.params.push_back(
      {.kind = ParamKind::Number, .name = "tiles", .value = *Expr::parse("cdiv(S, 128) * 2")});
  ErrorOr<KernelSource> back = kernelSourceFromJson(toJson(source));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, source);
  EXPECT_EQ(toJson(*back), toJson(source));
}

TEST(KernelSource, reports_what_is_wrong_with_json) {
  std::string json = toJson(vectorAdd());
  auto failure = [&](std::string_view from, std::string_view to) {
    std::string changed = json;
    changed.replace(changed.find(from), from.size(), to);
    ErrorOr<KernelSource> source = kernelSourceFromJson(changed);
    return source ? "no failure" : source.error().message;
  };
  EXPECT_EQ(failure("\"threads\": 256", "\"threads\": \"many\""),
            "launch description: field `threads` is not an integer");
  EXPECT_EQ(failure("\"threads\": 256", "\"threads\": -1"),
            "launch description: field `threads` is out of range");
  EXPECT_EQ(failure("\"threads\"", "\"x\""), "launch description: field `threads` is missing");
  EXPECT_EQ(failure("\"f32\"", "\"f31\""), "launch description: field `type` is no element type");
  EXPECT_EQ(
      failure("cdiv(N, 256)", "cdiv(N"),
      "launch description: field `grid` is no expression: expected `,` at column 7 of `cdiv(N`");
  EXPECT_EQ(failure("\"vector_add\"", "7"), "launch description: field `entry` is not a string");
  EXPECT_EQ(failure("\"index32\": true", "\"index32\": 1"),
            "launch description: field `index32` is not a boolean");
  EXPECT_EQ(failure("\"pointer\"", "\"address\""),
            "launch description: field `kind` is no kind of parameter");
  EXPECT_EQ(failure("\"zeroing\": \"never\"", "\"zeroing\": \"now\""),
            "launch description: field `zeroing` says not when a tensor is set to 0");
  EXPECT_EQ(failure("\"swizzle\": 0", "\"swizzle\": 4"),
            "launch description: field `swizzle` is no swizzle");
  EXPECT_EQ(failure("\"options\": []", "\"options\": {}"),
            "launch description: field `options` is not a list");
  EXPECT_EQ(failure("\"checks\": []", "\"checks\": [1]"),
            "launch description: field `checks` is not an object");
  EXPECT_EQ(failure("{", "["), "launch description is not a JSON object");
  EXPECT_EQ(failure("\"format\": 6", "\"format\": 1"),
            "launch description has another format than 6");
}
