#include "tools/driver/KernelText.h"

#include "frontend/Source.h"
#include "passes/Pipeline.h"
#include "support/Files.h"
#include "tools/driver/Builtins.h"
#include "tools/driver/CtaProgram.h"
#include "tools/driver/Diagnostics.h"

#include "ir/cta/Cta.h"
#include "llvm/Support/Path.h"

using namespace tilewright;
using namespace tilewright::driver;

std::string_view KernelText::line(unsigned wanted) const {
  std::string_view rest = text;
  for (unsigned at = 1; !rest.empty(); ++at) {
    size_t end = rest.find('\n');
    if (at == wanted)
      return rest.substr(0, end);
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return {};
}

static std::string list(const std::vector<llvm::StringRef> &names) {
  std::string text;
  for (llvm::StringRef name : names)
    text += (text.empty() ? "`" : ", `") + name.str() + "`";
  return text;
}

/// The name of the kernel that `wanted` (perhaps empty) stands for.
static ErrorOr<std::string> chooseKernel(const frontend::Program &program, llvm::StringRef file,
                                         llvm::StringRef wanted) {
  std::vector<llvm::StringRef> names = program.kernels();
  std::string path = ("`" + llvm::Twine(file) + "`").str();
  if (names.empty())
    return Error{path + " has no kernel: put `@kernel` before a function"};
  llvm::StringRef stem = llvm::sys::path::stem(file);
  if (wanted.empty() && names.size() == 1)
    return names.front().str();
  if (wanted.empty() && program.signature(stem))
    return stem.str();
  if (wanted.empty())
    return Error{path + " has several kernels: add `:` and one of " + list(names)};
  if (!program.signature(wanted))
    return Error{path + " has no kernel `" + wanted.str() + "`" + frontend::suggest(wanted, names) +
                 "; it has " + list(names)};
  return wanted.str();
}

/// Everything that a kernel depends on, except the name of its file.
static Hash128 contentsOf(const KernelText &text, const frontend::Captured &captured) {
  Hasher hasher;
  hasher.addField(text.text).addField(text.kernel);
  for (const std::string &dim : captured.dims)
    hasher.addField("d" + dim);
  for (const frontend::DtypeVariable &variable : captured.dtypes) {
    hasher.addField("t" + variable.name);
    for (frontend::Dtype dtype : variable.allowed)
      hasher.addField(dtypeName(dtype).str());
  }
  for (const auto &[name, value] : captured.constants)
    hasher.addField("c" + name).addField(toString(value));
  return hasher.finish();
}

static void setHashes(KernelText &text, const frontend::Captured &captured = {}) {
  text.contents = contentsOf(text, captured);
  text.hash = Hasher().addField(text.file).addField(text.contents.hex()).finish();
}

static constexpr std::string_view kCtaSuffix = ".mlir";

/// A program of the `cta` level. Its signature is read after its calls are inlined.
static ErrorOr<KernelTextPtr> loadCtaText(std::string text, std::string file) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Diagnostics diagnostics(context, file, text);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseCta(text, file, context);
  if (!module)
    return diagnostics.error();
  auto result = std::make_shared<KernelText>();
  TILEWRIGHT_ASSIGN(std::vector<runtime::KernelSource> plans, describePlans(*module));
  mlir::PassManager manager(&context);
  passes::addPasses(manager, {}, passes::Stage::Tile, passes::Stage::Cta);
  if (mlir::failed(manager.run(*module)))
    return diagnostics.error();
  mlir::FailureOr<frontend::Signature> stated = signatureOf(*module);
  if (mlir::failed(stated))
    return diagnostics.error();
  TILEWRIGHT_ASSIGN(result->plans, runtime::PlanChoice::create(plans));
  result->kernel = stated->name;
  result->stated = std::move(*stated);
  result->target = kernelOf(*module)->getAttrOfType<mlir::StringAttr>(cta::kTargetAttr).str();
  result->text = std::move(text);
  result->file = std::move(file);
  setHashes(*result);
  return KernelTextPtr(std::move(result));
}

ErrorOr<KernelTextPtr> driver::loadKernelText(std::string text, std::string file,
                                              std::string_view kernel,
                                              const frontend::Captured &captured) {
  if (std::string_view(file).ends_with(kCtaSuffix))
    return loadCtaText(std::move(text), std::move(file));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics(context, file, text);
  auto result = std::make_shared<KernelText>();
  result->program = frontend::parseProgram(text, file, context, captured);
  if (!result->program)
    return diagnostics.error();
  TILEWRIGHT_ASSIGN(result->kernel, chooseKernel(*result->program, file, kernel));
  result->text = std::move(text);
  result->file = std::move(file);
  setHashes(*result, captured);
  return KernelTextPtr(std::move(result));
}

ErrorOr<std::shared_ptr<const frontend::Program>>
driver::loadFunctions(const std::string &text, const std::string &file,
                      const frontend::Captured &captured) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics(context, file, text);
  std::shared_ptr<const frontend::Program> program =
      frontend::parseProgram(text, file, context, captured);
  if (!program)
    return diagnostics.error();
  return program;
}

ErrorOr<KernelTextPtr> driver::loadBuiltin(std::string_view name,
                                           const std::vector<frontend::Borrowed> &functions) {
  if (const BuiltinFile *file = findBuiltin(name)) {
    frontend::Captured captured;
    captured.functions = functions;
    TILEWRIGHT_ASSIGN(KernelTextPtr kernel,
                      loadKernelText(std::string(file->text), file->path(), name, captured));
    auto builtin = std::make_shared<KernelText>(*kernel);
    builtin->builtin = true;
    return KernelTextPtr(std::move(builtin));
  }
  std::vector<std::string> owned;
  for (const BuiltinFile &file : builtinFiles())
    for (std::string &kernel : kernelNames(file.text))
      owned.push_back(std::move(kernel));
  std::vector<llvm::StringRef> names(owned.begin(), owned.end());
  return Error{"there is no built-in kernel `" + std::string(name) + "`" +
               frontend::suggest(name, names) +
               "; `tilewright list` shows all, `file.py:kernel` names one of yours"};
}

ErrorOr<KernelTextPtr> driver::loadKernel(std::string_view what) {
  if (what.ends_with(kCtaSuffix)) {
    TILEWRIGHT_ASSIGN(std::string text, readFile(std::string(what)));
    return loadCtaText(std::move(text), std::string(what));
  }
  // `file.py`, `file.py:kernel`, or anything with a folder in it.
  size_t suffix = what.rfind(".py");
  bool isFile = suffix != what.npos || what.find('/') != what.npos;
  if (!isFile)
    return loadBuiltin(what);
  size_t colon = what.find(':', suffix == what.npos ? what.rfind('/') : suffix);
  std::string path(what.substr(0, colon));
  std::string_view kernel = colon == what.npos ? std::string_view() : what.substr(colon + 1);
  TILEWRIGHT_ASSIGN(std::string text, readFile(path));
  return loadKernelText(std::move(text), std::move(path), kernel);
}
