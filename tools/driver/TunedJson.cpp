// Results of the tuner as the text of a file (docs/tuner.md).
#include "tools/driver/TunedPlans.h"

#include "passes/plan/Plan.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace tilewright;
using namespace tilewright::driver;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// Of the format.
static constexpr int64_t kVersion = 1;

//===- Writing --------------------------------------------------------------------------------===//

static Array linesOf(llvm::StringRef text) {
  Array lines;
  for (; !text.empty(); text = text.split('\n').second)
    lines.push_back(text.split('\n').first);
  return lines;
}

/// The numbers of a configuration, by the names that the command line has for them.
static constexpr std::pair<llvm::StringLiteral, int64_t Numbers::*> kConfig[] = {
    {"warps", &Numbers::warps},
    {"stages", &Numbers::stages},
    {"min_blocks", &Numbers::minBlocks},
    {"cluster", &Numbers::cluster}};
static constexpr llvm::StringLiteral kSpills = "allow_spills";

static Object configJson(const Numbers &numbers) {
  Object result;
  for (const auto &[name, extent] : numbers.tiles)
    result[name] = extent;
  for (const auto &[name, member] : kConfig)
    if (numbers.*member)
      result[name] = numbers.*member;
  if (numbers.allowSpills)
    result[kSpills] = true;
  return result;
}

static double rounded(double microseconds) { return std::round(microseconds * 100) / 100; }

static Object rivalJson(const TunedPlan::Rival &rival) {
  Object result{{"plan", rival.plan}};
  if (rival.dropped.empty())
    result["microseconds"] = rounded(rival.microseconds);
  else
    result["dropped"] = rival.dropped;
  return result;
}

static Object resultJson(const TunedPlan &result) {
  Object sizes;
  for (const auto &[name, size] : result.launch.sizes)
    sizes[name] = size;
  Array rivals;
  for (const TunedPlan::Rival &rival : result.rivals)
    rivals.push_back(rivalJson(rival));
  Object object{{"kernel", result.launch.kernel},
                {"text", result.launch.text},
                {"target", result.launch.target},
                {"launch", result.launch.launch},
                {"sizes", std::move(sizes)},
                {"gpu", result.gpu},
                {"microseconds", rounded(result.microseconds)},
                {"plan", linesOf(result.plan)},
                {"facts", Array(result.facts)},
                {"rivals", std::move(rivals)}};
  if (!result.numbers.empty())
    object["config"] = configJson(result.numbers);
  return object;
}

std::string TunedPlans::json() const {
  std::lock_guard lock(mutex);
  Array results;
  for (const Entry &entry : entries)
    results.push_back(resultJson(*entry));
  Object file{{"version", kVersion}, {"results", std::move(results)}};
  return llvm::formatv("{0:2}\n", Value(std::move(file))).str();
}

//===- Reading --------------------------------------------------------------------------------===//

namespace {

/// Reads one result; `problem` says what is wrong with it.
class ResultReader {
public:
  explicit ResultReader(const Object &object) : object(object) {}

  TunedPlan read() {
    TunedPlan result;
    result.launch = {text("kernel"), text("text"), text("target"), text("launch"), sizes()};
    result.gpu = text("gpu");
    result.microseconds = object.getNumber("microseconds").value_or(0);
    for (const std::string &line : lines("plan"))
      result.plan += line + "\n";
    result.numbers = numbers();
    result.facts = lines("facts");
    if (const Array *rivals = object.getArray("rivals"))
      for (const Value &rival : *rivals)
        if (const Object *fields = rival.getAsObject())
          result.rivals.push_back({fields->getString("plan").value_or("").str(),
                                   fields->getNumber("microseconds").value_or(0),
                                   fields->getString("dropped").value_or("").str()});
    if (!result.plan.empty())
      if (ErrorOr<passes::Plan> plan = passes::Plan::parse(result.plan); !plan)
        problem = plan.error().message;
    return result;
  }

  std::string problem;

private:
  std::string text(llvm::StringRef name) {
    std::optional<llvm::StringRef> word = object.getString(name);
    if (!word)
      problem = ("it has no text `" + name + "`").str();
    return word.value_or("").str();
  }

  /// Tile extents are what is not one of the other numbers.
  Numbers numbers() {
    Numbers result;
    const Object *config = object.getObject("config");
    for (const auto &[key, value] : config ? *config : Object()) {
      llvm::StringRef name = key;
      std::optional<int64_t> number = value.getAsInteger();
      const auto *known = llvm::find_if(kConfig, [&](auto &each) { return each.first == name; });
      if (name == kSpills)
        result.allowSpills = value.getAsBoolean().value_or(false);
      else if (!number || *number < 1)
        problem = ("`" + name + "` of its `config` is no positive number").str();
      else if (known != std::end(kConfig))
        result.*known->second = *number;
      else
        result.tiles[name.str()] = *number;
    }
    return result;
  }

  std::vector<std::string> lines(llvm::StringRef name) {
    std::vector<std::string> result;
    const Array *array = object.getArray(name);
    if (!array)
      problem = ("it has no lines `" + name + "`").str();
    else
      for (const Value &line : *array)
        result.push_back(line.getAsString().value_or("").str());
    return result;
  }

  std::map<std::string, int64_t> sizes() {
    std::map<std::string, int64_t> result;
    const Object *all = object.getObject("sizes");
    if (!all)
      problem = "it has no `sizes`";
    else
      for (const auto &[name, size] : *all)
        result[name.str()] = size.getAsInteger().value_or(0);
    return result;
  }

  const Object &object;
};

} // namespace

/// The list of results, or why there is none.
static ErrorOr<const Array *> resultsOf(const Value &file, const std::string &path) {
  const Object *object = file.getAsObject();
  std::optional<int64_t> version = object ? object->getInteger("version") : std::nullopt;
  const Array *results = object ? object->getArray("results") : nullptr;
  if (!version || !results)
    return Error{path + ": is no file of tuned plans: it needs `version` and `results`"};
  if (*version != kVersion)
    return Error{path + ": has version " + std::to_string(*version) + " of the format, and " +
                 std::to_string(kVersion) + " is read: tune anew"};
  return results;
}

Status TunedPlans::read(std::string_view json, const std::string &file) {
  llvm::Expected<Value> parsed = llvm::json::parse({json.data(), json.size()});
  if (!parsed)
    return Error{file + ": " + llvm::toString(parsed.takeError())};
  TILEWRIGHT_ASSIGN(const Array *results, resultsOf(*parsed, file));
  std::vector<TunedPlan> read;
  for (const Value &value : *results) {
    static const Object kNothing;
    const Object *object = value.getAsObject();
    ResultReader reader(object ? *object : kNothing);
    read.push_back(reader.read());
    if (!reader.problem.empty())
      return Error{file + ": result " + std::to_string(read.size()) + ": " + reader.problem};
  }
  for (TunedPlan &result : read)
    add(std::move(result));
  return {};
}
