//===- KernelSourceJson.cpp - KernelSource as JSON ------------------------===//
//
// Each struct has one function that lists its fields; it serves both directions, so that a field
// cannot be written and forgotten on reading.
//
//===----------------------------------------------------------------------===//

#include "runtime/KernelSource.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

namespace tilewright::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kFormat = 6;

constexpr std::string_view kParamKinds[] = {"pointer",    "dim",          "stride",    "scalar",
                                            "tensor_map", "tile_counter", "workspace", "flags",
                                            "events",     "number"};

constexpr std::string_view kZeroings[] = {"never", "before_launch", "without_programs"};

struct Writer {
  Json json = Json::object();

  template <typename T> void field(const char *name, const T &value) { json[name] = encode(value); }

  static Json encode(const std::string &value) { return value; }
  static Json encode(bool value) { return value; }
  static Json encode(unsigned value) { return value; }
  static Json encode(int64_t value) { return value; }
  static Json encode(ElementType value) { return std::string(nameOf(value)); }
  static Json encode(ParamKind value) { return std::string(kParamKinds[size_t(value)]); }
  static Json encode(Zeroing value) { return std::string(kZeroings[size_t(value)]); }
  static Json encode(TensorMapSwizzle value) { return static_cast<unsigned>(value); }
  static Json encode(const Expr &value) { return value.str(); }
  static Json encode(const std::optional<int64_t> &value) { return value ? Json(*value) : Json(); }
  static Json encode(const Arg &arg) {
    return std::visit([](const auto &value) { return encode(value); }, arg);
  }
  template <typename T> static Json encode(const std::vector<T> &values) {
    Json list = Json::array();
    for (const T &value : values)
      list.push_back(encode(value));
    return list;
  }
  template <typename T> static Json encode(const T &value);
};

/// Keeps the first failure, so that the field lists need no error handling.
struct Reader {
  const Json &json;
  std::string &failure;

  template <typename T> void field(const char *name, T &value) {
    auto it = json.find(name);
    if (it == json.end())
      return fail(std::string("field `") + name + "` is missing");
    decode(*it, value);
    if (!failure.empty() && failure[0] == '!')
      failure = std::string("field `") + name + "` " + failure.substr(1);
  }

  void fail(std::string message) {
    if (failure.empty())
      failure = std::move(message);
  }

  void decode(const Json &from, std::string &value) {
    from.is_string() ? void(value = from.get<std::string>()) : fail("!is not a string");
  }
  void decode(const Json &from, bool &value) {
    from.is_boolean() ? void(value = from.get<bool>()) : fail("!is not a boolean");
  }
  void decode(const Json &from, int64_t &value) {
    from.is_number_integer() ? void(value = from.get<int64_t>()) : fail("!is not an integer");
  }
  void decode(const Json &from, unsigned &value) {
    int64_t wide = 0;
    decode(from, wide);
    if (wide < 0 || wide > std::numeric_limits<unsigned>::max())
      fail("!is out of range");
    value = static_cast<unsigned>(wide);
  }
  void decode(const Json &from, ElementType &value) {
    std::string name;
    decode(from, name);
    if (std::optional<ElementType> type = elementTypeByName(name))
      value = *type;
    else
      fail("!is no element type");
  }
  void decode(const Json &from, ParamKind &value) {
    decodeName(from, value, kParamKinds, "!is no kind of parameter");
  }
  void decode(const Json &from, Zeroing &value) {
    decodeName(from, value, kZeroings, "!says not when a tensor is set to 0");
  }
  void decode(const Json &from, TensorMapSwizzle &value) {
    unsigned number = 0;
    decode(from, number);
    number <= 3 ? void(value = static_cast<TensorMapSwizzle>(number)) : fail("!is no swizzle");
  }
  void decode(const Json &from, Expr &value) {
    std::string text;
    decode(from, text);
    ErrorOr<Expr> expr = Expr::parse(text);
    expr ? void(value = *expr) : fail("!is no expression: " + expr.error().message);
  }
  void decode(const Json &from, std::optional<int64_t> &value) {
    if (!from.is_null())
      decode(from, value.emplace());
  }
  void decode(const Json &from, Arg &arg) {
    if (from.contains("dims"))
      decode(from, arg.emplace<TensorArg>());
    else
      decode(from, arg.emplace<ScalarArg>());
  }
  template <typename T> void decode(const Json &from, std::vector<T> &values) {
    if (!from.is_array())
      return fail("!is not a list");
    for (const Json &item : from)
      decode(item, values.emplace_back());
  }
  template <typename T> void decode(const Json &from, T &value);
  /// An enumerator, from its place in a list of names.
  template <typename T>
  void decodeName(const Json &from, T &value, std::span<const std::string_view> names,
                  const char *problem) {
    std::string name;
    decode(from, name);
    auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end())
      return fail(problem);
    value = static_cast<T>(it - names.begin());
  }
};

template <typename V>
void fields(V &visit, auto &dim)
  requires std::is_same_v<std::remove_cvref_t<decltype(dim)>, DimRef>
{
  visit.field("name", dim.name);
  visit.field("size", dim.size);
}

template <typename V>
void fields(V &visit, auto &arg)
  requires std::is_same_v<std::remove_cvref_t<decltype(arg)>, TensorArg>
{
  visit.field("name", arg.name);
  visit.field("type", arg.type);
  visit.field("dims", arg.dims);
  visit.field("alignment", arg.alignment);
  visit.field("unit_inner_stride", arg.unitInnerStride);
  visit.field("index32", arg.index32);
  visit.field("zeroing", arg.zeroing);
}

template <typename V>
void fields(V &visit, auto &arg)
  requires std::is_same_v<std::remove_cvref_t<decltype(arg)>, ScalarArg>
{
  visit.field("name", arg.name);
  visit.field("type", arg.type);
}

template <typename V>
void fields(V &visit, auto &map)
  requires std::is_same_v<std::remove_cvref_t<decltype(map)>, TensorMapSpec>
{
  visit.field("axes", map.axes);
  visit.field("box", map.box);
  visit.field("swizzle", map.swizzle);
  visit.field("tf32", map.tf32);
  visit.field("stored", map.isStored);
}

template <typename V>
void fields(V &visit, auto &param)
  requires std::is_same_v<std::remove_cvref_t<decltype(param)>, Param>
{
  visit.field("kind", param.kind);
  visit.field("argument", param.argument);
  visit.field("axis", param.axis);
  visit.field("type", param.type);
  visit.field("name", param.name);
  visit.field("map", param.map);
  visit.field("bytes", param.bytes);
  visit.field("value", param.value);
}

template <typename V>
void fields(V &visit, auto &check)
  requires std::is_same_v<std::remove_cvref_t<decltype(check)>, LaunchCheck>
{
  visit.field("condition", check.condition);
  visit.field("message", check.message);
  visit.field("location", check.location);
  visit.field("selects", check.selects);
}

template <typename V>
void fields(V &visit, auto &source)
  requires std::is_same_v<std::remove_cvref_t<decltype(source)>, KernelSource>
{
  visit.field("entry", source.entry);
  visit.field("target", source.target);
  visit.field("options", source.options);
  visit.field("args", source.args);
  visit.field("params", source.params);
  visit.field("grid", source.grid);
  visit.field("checks", source.checks);
  visit.field("threads", source.threads);
  visit.field("shared_bytes", source.sharedBytes);
  visit.field("cluster_size", source.clusterSize);
  visit.field("dependent_launch", source.dependentLaunch);
  visit.field("location", source.location);
  visit.field("text", source.text);
}

template <typename T> Json Writer::encode(const T &value) {
  Writer writer;
  fields(writer, value);
  return std::move(writer.json);
}

template <typename T> void Reader::decode(const Json &from, T &value) {
  if (!from.is_object())
    return fail("!is not an object");
  Reader reader{from, failure};
  fields(reader, value);
}

} // namespace

std::string toJson(const KernelSource &source) {
  Json json = Writer::encode(source);
  json["format"] = kFormat;
  // Text that is not UTF-8 (a comment of the user's, say) is no reason to fail.
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

ErrorOr<KernelSource> kernelSourceFromJson(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object())
    return Error{"launch description is not a JSON object"};
  if (json.value("format", Json()) != kFormat)
    return Error{"launch description has another format than " + std::to_string(kFormat)};
  KernelSource source;
  std::string failure;
  Reader reader{json, failure};
  fields(reader, source);
  if (!failure.empty())
    return Error{"launch description: " + failure};
  return source;
}

} // namespace tilewright::runtime
