//===- tile-lower - prints the tile module of a kernel ----------------------------------------===//
#include "frontend/Frontend.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright::frontend;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("file"), cl::init("-"));
static cl::opt<std::string> kernel("kernel", cl::desc("the kernel (default: every one)"));
static cl::list<std::string>
    bindings("set", cl::CommaSeparated,
             cl::desc("name=value: a dtype, dimension, constant, or facts of a tensor joined by "
                      "`+` (`x=16+strided`, `bias=given`)"));
static cl::opt<bool> verifyDiagnostics("verify-diagnostics",
                                       cl::desc("compare errors with `expected-error` comments"));
static cl::opt<bool> split("split", cl::desc("take each part between `# -----` as a file"));
static cl::opt<bool> debugInfo("locations", cl::desc("print locations"));
static cl::opt<bool> bindDefaults("defaults",
                                  cl::desc("bind what is needed and not set: sizes to 64, dtypes "
                                           "to the first that is allowed"));
static cl::opt<bool> printSignature("signature", cl::desc("print signatures instead of code"));

static ConstValue parseConst(StringRef text) {
  int64_t integer;
  double number;
  if (text.equals_insensitive("true") || text.equals_insensitive("false"))
    return text.equals_insensitive("true");
  if (!text.getAsInteger(0, integer))
    return integer;
  if (!text.getAsDouble(number))
    return number;
  if (std::optional<Dtype> dtype = dtypeFromName(text))
    return *dtype;
  return text.str();
}

static TensorFacts parseFacts(StringRef text) {
  TensorFacts facts;
  llvm::SmallVector<StringRef> words;
  text.split(words, '+');
  for (StringRef word : words) {
    facts.strided |= word == "strided";
    facts.wide |= word == "wide";
    int64_t align;
    if (!word.getAsInteger(10, align))
      facts.align = align;
  }
  return facts;
}

/// Sorts `--set` by what the names are in `signature`; a name it lacks is left to another kernel
/// unless one kernel was asked for.
static Specialisation specialise(const Signature &signature) {
  Specialisation result;
  for (StringRef binding : bindings) {
    auto [name, text] = binding.split('=');
    const Param *param = signature.param(name);
    int64_t size;
    if (param && param->kind == Param::Tensor)
      result.tensors[name] = parseFacts(text);
    else if (param)
      result.consts[name] = parseConst(text);
    else if (std::optional<Dtype> dtype = dtypeFromName(text);
             dtype && (!kernel.empty() || llvm::any_of(signature.dtypes, [&](auto &variable) {
               return variable.name == name;
             })))
      result.dtypes[name] = *dtype;
    else if (!text.getAsInteger(10, size) &&
             (!kernel.empty() ||
              llvm::any_of(signature.dims, [&](auto &dim) { return dim.name == name; })))
      result.dims[name] = size;
  }
  if (bindDefaults) {
    for (const DimInfo &dim : signature.dims)
      if (dim.isStatic)
        result.dims.try_emplace(dim.name, 64);
    for (const DtypeVariable &variable : signature.dtypes)
      result.dtypes.try_emplace(variable.name, variable.allowed.front());
  }
  return result;
}

static void print(const Signature &signature, raw_ostream &os) {
  os << signature.name << "\n";
  for (const Param &param : signature.params) {
    static constexpr StringRef kKinds[] = {"tensor", "scalar", "const", "tune"};
    os << "  " << kKinds[param.kind] << " " << param.name;
    if (param.dtype)
      os << " " << dtypeName(*param.dtype);
    os << (param.dtypeVariable.empty() ? "" : " ") << param.dtypeVariable;
    os << (param.constType.empty() ? "" : " ") << param.constType;
    for (const Dim &dim : param.dims)
      os << " " << (dim.name.empty() ? std::to_string(dim.size) : dim.name);
    for (const ConstValue &candidate : param.candidates)
      os << " " << toString(candidate);
    if (param.defaultValue)
      os << " = " << toString(*param.defaultValue);
    os << (param.optional ? " optional" : "") << (param.read ? " read" : "")
       << (param.written ? " written" : "") << "\n";
  }
  for (const DimInfo &dim : signature.dims)
    os << "  dim " << dim.name << (dim.isStatic ? " static" : "") << "\n";
  for (const DtypeVariable &variable : signature.dtypes) {
    os << "  dtype " << variable.name;
    for (Dtype dtype : variable.allowed)
      os << " " << dtypeName(dtype);
    os << "\n";
  }
}

static LogicalResult lowerText(StringRef text, StringRef name, MLIRContext &context,
                               raw_ostream &os) {
  std::unique_ptr<Program> program = parseProgram(text, name, context);
  if (!program)
    return failure();
  std::vector<StringRef> kernels = program->kernels();
  if (!kernel.empty())
    kernels = {kernel};
  for (StringRef each : kernels) {
    const Signature *signature = program->signature(each);
    if (printSignature && signature) {
      print(*signature, os);
      continue;
    }
    OwningOpRef<ModuleOp> module =
        lower(*program, each, signature ? specialise(*signature) : Specialisation(), context);
    if (!module)
      return failure();
    OpPrintingFlags flags;
    if (debugInfo)
      flags.enableDebugInfo(true, /*prettyForm=*/false);
    module->print(os, flags);
  }
  return success();
}

static LogicalResult process(std::unique_ptr<llvm::MemoryBuffer> buffer, raw_ostream &os) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  StringRef text = buffer->getBuffer(), name = buffer->getBufferIdentifier();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (verifyDiagnostics) {
    SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
    (void)lowerText(text, name, context, llvm::nulls());
    return handler.verify();
  }
  SourceMgrDiagnosticHandler handler(*sources, &context);
  return lowerText(text, name, context, os);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "lowers a kernel to the tile dialect\n");
  std::string error;
  auto buffer = openInputFile(input, &error);
  if (!buffer) {
    llvm::errs() << error << "\n";
    return 1;
  }
  auto each = [](std::unique_ptr<llvm::MemoryBuffer> chunk, raw_ostream &os) {
    return process(std::move(chunk), os);
  };
  return failed(
      splitAndProcessBuffer(std::move(buffer), each, llvm::outs(), split ? "# -----" : ""));
}
