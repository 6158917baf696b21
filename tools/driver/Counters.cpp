#include "tools/driver/Counters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

using namespace tilewright;
using namespace tilewright::driver;
using llvm::StringRef;

namespace {

struct NamedMetric {
  StringRef metric, name;
};
constexpr NamedMetric kMetrics[] = {
#define COUNTER(metric, name) {metric, name},
#include "tools/driver/Counters.def"
};

using Fields = std::vector<std::string>;

} // namespace

//===- CSV ------------------------------------------------------------------------------------===//

/// The fields of the line at the front of `rest`, which moves behind it. A field may be quoted,
/// with
/// "" for a quote.
static Fields nextLine(StringRef &rest) {
  Fields fields(1);
  bool quoted = false;
  while (!rest.empty()) {
    char c = rest.front();
    rest = rest.drop_front();
    if (c == '"' && quoted && rest.starts_with("\"")) {
      fields.back() += '"';
      rest = rest.drop_front();
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c == '\n' && !quoted) {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// A number as ncu prints it, perhaps with commas between thousands.
static std::optional<double> numberOf(StringRef text) {
  std::string digits = llvm::join(llvm::split(text.trim(), ','), "");
  double value = 0;
  if (StringRef(digits).getAsDouble(value))
    return std::nullopt;
  return value;
}

/// Skips lines up to the one with a field of this name.
static std::optional<Fields> findHeader(StringRef &rest, StringRef field) {
  while (!rest.empty())
    if (Fields fields = nextLine(rest); llvm::is_contained(fields, field))
      return fields;
  return std::nullopt;
}

//===- Pages ----------------------------------------------------------------------------------===//

ErrorOr<std::vector<CounterTotal>> driver::readTotals(const std::string &csv) {
  StringRef rest = csv;
  std::optional<Fields> names = findHeader(rest, "Kernel Name");
  if (!names)
    return Error{"ncu's page of counters has no column `Kernel Name`"};
  Fields units = nextLine(rest), values = nextLine(rest);
  std::vector<CounterTotal> totals;
  for (const NamedMetric &known : kMetrics) {
    size_t column = size_t(llvm::find(*names, known.metric) - names->begin());
    if (column >= std::min(units.size(), values.size()))
      continue;
    if (std::optional<double> value = numberOf(values[column]))
      totals.push_back({known.name.str(), *value, units[column]});
  }
  if (totals.empty())
    return Error{"ncu's page of counters has none that is known here; the last is `" +
                 names->back() + "`"};
  return totals;
}

/// "samples", a reason for a stall, or empty for other columns.
static std::string columnOf(StringRef name) {
  std::string lower = name.lower();
  bool isPart = StringRef(lower).contains("not issued") ||
                StringRef(lower).contains("not_issued") || StringRef(lower).contains("not-issued");
  if (isPart)
    return "";
  if (StringRef(lower).starts_with("stall_"))
    return lower.substr(StringRef("stall_").size());
  bool isSamples = lower == "# samples" || StringRef(lower).contains("(all samples)") ||
                   lower == "sampling data (all)";
  return isSamples ? "samples" : "";
}

ErrorOr<InstructionCounters> driver::readInstructions(const std::string &csv) {
  StringRef rest = csv;
  std::optional<Fields> names = findHeader(rest, "Address");
  if (!names)
    return Error{"ncu's page of sources has no column `Address`"};
  size_t address = size_t(llvm::find(*names, "Address") - names->begin());
  InstructionCounters result;
  std::vector<size_t> places;
  for (auto [place, name] : llvm::enumerate(*names))
    if (std::string column = columnOf(name);
        !column.empty() && !llvm::is_contained(result.columns, column)) {
      result.columns.push_back(column);
      places.push_back(place);
    }
  if (!llvm::is_contained(result.columns, "samples"))
    return Error{"ncu's page of sources has no samples; it has `" + llvm::join(*names, "`, `") +
                 "`"};
  while (!rest.empty()) {
    Fields fields = nextLine(rest);
    if (fields.size() != names->size() || !StringRef(fields[address]).starts_with("0x"))
      break;
    CounterRow &row = result.rows.emplace_back();
    for (size_t place : places)
      row.push_back(numberOf(fields[place]).value_or(0));
  }
  return result;
}

ErrorOr<Counters> driver::countByLine(std::vector<CounterTotal> totals,
                                      const InstructionCounters &instructions,
                                      llvm::ArrayRef<unsigned> lines) {
  if (instructions.rows.size() != lines.size())
    return Error{"ncu lists " + std::to_string(instructions.rows.size()) +
                 " instructions, and the kernel has " + std::to_string(lines.size()) +
                 "; the report is of other code"};
  Counters counters;
  counters.totals = std::move(totals);
  counters.columns = instructions.columns;
  for (auto [row, line] : llvm::zip(instructions.rows, lines)) {
    CounterRow &sum = counters.lines[line];
    sum.resize(row.size());
    for (auto [to, from] : llvm::zip(sum, row))
      to += from;
  }
  return counters;
}

//===- For the inspector and for people -------------------------------------------------------===//

llvm::json::Object Counters::toJson() const {
  llvm::json::Array totalsJson, linesJson;
  for (const CounterTotal &total : totals)
    totalsJson.push_back(
        llvm::json::Object{{"name", total.name}, {"value", total.value}, {"unit", total.unit}});
  for (const auto &[line, row] : lines) {
    llvm::json::Array numbers{line};
    for (double number : row)
      numbers.push_back(number);
    linesJson.push_back(std::move(numbers));
  }
  return llvm::json::Object{{"tool", tool},
                            {"totals", std::move(totalsJson)},
                            {"columns", llvm::json::Array(columns)},
                            {"lines", std::move(linesJson)}};
}

/// "wait 40 %, barrier 12 %": the reasons with the largest shares of a line's samples.
static std::string reasonsOf(llvm::ArrayRef<std::string> columns, const CounterRow &row,
                             double samples) {
  constexpr size_t kMost = 3;
  std::vector<std::pair<double, StringRef>> reasons;
  for (auto [column, number] : llvm::zip(columns, row))
    if (column != "samples" && number > 0)
      reasons.push_back({number, column});
  llvm::stable_sort(reasons, [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string text;
  for (const auto &[number, name] : llvm::ArrayRef(reasons).take_front(kMost))
    text +=
        fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name.str(), 100 * number / samples);
  return text;
}

std::string Counters::str(const std::string &text) const {
  std::string result = tool + "\n";
  for (const CounterTotal &total : totals)
    result += fmt::format("  {:28} {:.4g} {}\n", total.name, total.value, total.unit);
  size_t place = size_t(llvm::find(columns, "samples") - columns.begin());
  double all = 0;
  for (const auto &[line, row] : lines)
    all += row[place];
  if (all <= 0)
    return result + "  no samples\n";
  llvm::SmallVector<StringRef> source;
  StringRef(text).split(source, '\n');
  for (const auto &[line, row] : lines) {
    double samples = row[place];
    if (samples <= 0)
      continue;
    StringRef words = line && line <= source.size() ? source[line - 1].trim() : "(no line)";
    result += fmt::format("  {:5.1f} %  {:4}  {}\n", 100 * samples / all, line, words.str());
    if (std::string reasons = reasonsOf(columns, row, samples); !reasons.empty())
      result += fmt::format("{:16}{}\n", "", reasons);
  }
  return result;
}
