#include "tools/driver/Diagnostics.h"

#include "passes/say/Explain.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <set>

using namespace tilewright;
using namespace tilewright::driver;

std::string Remark::str() const {
  return file.empty() ? text : file + ":" + std::to_string(line) + ": " + text;
}

llvm::json::Value Remark::json() const {
  llvm::json::Object result{{"pass", pass}, {"text", text}, {"values", llvm::json::Object(values)}};
  if (!file.empty()) {
    result["file"] = file;
    result["line"] = line;
    result["column"] = column;
  }
  if (!variable.empty())
    result["variable"] = variable;
  llvm::json::Array rejected;
  for (const auto &[choice, reason] : alternatives)
    rejected.push_back(llvm::json::Object{{"choice", choice}, {"reason", reason}});
  result["alternatives"] = std::move(rejected);
  return result;
}

/// A value of an explanation: an integer, a word, or a list of them.
static llvm::json::Value valueOf(mlir::Attribute attribute) {
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    return number.getInt();
  if (auto word = mlir::dyn_cast<mlir::StringAttr>(attribute))
    return word.str();
  llvm::json::Array list;
  for (mlir::Attribute each : mlir::cast<mlir::ArrayAttr>(attribute))
    list.push_back(valueOf(each));
  return list;
}

static void addFacts(mlir::DictionaryAttr facts, Remark &remark) {
  remark.pass = facts.getAs<mlir::StringAttr>(passes::kPassKey).str();
  for (mlir::NamedAttribute value : facts.getAs<mlir::DictionaryAttr>(passes::kValuesKey))
    remark.values[value.getName().str()] = valueOf(value.getValue());
  for (auto pair :
       facts.getAs<mlir::ArrayAttr>(passes::kAlternativesKey).getAsRange<mlir::ArrayAttr>())
    remark.alternatives.emplace_back(mlir::cast<mlir::StringAttr>(pair[0]).str(),
                                     mlir::cast<mlir::StringAttr>(pair[1]).str());
}

static Remark remarkOf(const mlir::Diagnostic &diagnostic) {
  Remark remark;
  remark.text = diagnostic.str();
  mlir::Location at = diagnostic.getLocation();
  if (auto carrier = mlir::dyn_cast<mlir::FusedLocWith<mlir::DictionaryAttr>>(at)) {
    addFacts(carrier.getMetadata(), remark);
    at = carrier.getLocations().front();
  }
  if (auto place = at->findInstanceOf<mlir::FileLineColLoc>()) {
    remark.file = place.getFilename().str();
    remark.line = place.getLine();
    remark.column = place.getColumn();
  }
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(at))
    remark.variable = named.getName().str();
  return remark;
}

struct Diagnostics::State {
  explicit State(mlir::MLIRContext &context) : context(context), stream(rendered) {}

  mlir::MLIRContext &context;
  std::string rendered;
  llvm::raw_string_ostream stream;
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> printer;
  mlir::DiagnosticEngine::HandlerID remarkHandler = 0;
  std::vector<Remark> remarks;

  void addRemark(Remark remark) {
    std::string line = remark.str();
    if (llvm::none_of(remarks, [&](const Remark &known) { return known.str() == line; }))
      remarks.push_back(std::move(remark));
  }
};

/// A text may give an op a name in place of its line: loc("a_descriptor").
static bool hasPlace(const mlir::Diagnostic &diagnostic) {
  return diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>() != nullptr;
}

/// "k.mlir: error: `a_descriptor`: is wrong"
static void writeWithoutPlace(const mlir::Diagnostic &diagnostic, std::string_view file,
                              llvm::raw_ostream &stream) {
  bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  stream << file << (isError ? ": error: " : ": warning: ");
  if (auto named = diagnostic.getLocation()->findInstanceOf<mlir::NameLoc>())
    stream << '`' << named.getName().getValue() << "`: ";
  stream << diagnostic.str() << '\n';
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    stream << file << ": note: " << note.str() << '\n';
}

Diagnostics::Diagnostics(mlir::MLIRContext &context, std::string_view file, std::string_view text)
    : state(std::make_unique<State>(context)) {
  state->sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file),
                                    llvm::SMLoc());
  state->printer =
      std::make_unique<mlir::SourceMgrDiagnosticHandler>(state->sources, &context, state->stream);
  // Asked before the printer, since it is registered later.
  state->remarkHandler = context.getDiagEngine().registerHandler(
      [state = state.get(), file = std::string(file)](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
          state->addRemark(remarkOf(diagnostic));
        else if (!hasPlace(diagnostic))
          writeWithoutPlace(diagnostic, file, state->stream);
        else
          return mlir::failure();
        return mlir::success();
      });
}

Diagnostics::~Diagnostics() { state->context.getDiagEngine().eraseHandler(state->remarkHandler); }

std::string Diagnostics::text() const {
  return llvm::StringRef(state->stream.str()).rtrim('\n').str();
}

Error Diagnostics::error() const {
  if (empty())
    return Error{"the compiler failed and gives no reason, which is a fault of its own"};
  return Error{text()};
}

void Diagnostics::clear() {
  state->stream.flush();
  state->rendered.clear();
}

bool Diagnostics::empty() const { return state->stream.str().empty(); }

const std::vector<Remark> &Diagnostics::remarks() const { return state->remarks; }

void driver::warnOnce(const std::string &message) {
  static std::mutex mutex;
  static auto &given = *new std::set<std::string>; // kernels may be compiled as the process ends
  std::lock_guard lock(mutex);
  if (given.insert(message).second)
    llvm::errs() << "tilewright: warning: " << message << "\n";
}
