#include "tools/driver/KernelModule.h"

#include "codegen/PrintCuda.h"
#include "ir/cta/Cta.h"
#include "tools/driver/CtaProgram.h"
#include "tools/driver/Gradient.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

KernelModule::KernelModule(KernelTextPtr text)
    : source(std::move(text)),
      context(std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  context->printOpOnDiagnostic(false);
  diagnostics = std::make_unique<Diagnostics>(*context, source->file, source->text);
}

ErrorOr<KernelModule> KernelModule::lower(KernelTextPtr text,
                                          const frontend::Specialisation &specialisation,
                                          size_t plan) {
  KernelModule result(std::move(text));
  const KernelText &source = *result.source;
  if (source.isCta())
    result.module = parseCta(source.text, source.file, *result.context);
  else if (source.forward)
    result.module = lowerGradient(source, specialisation, *result.context);
  else
    result.module =
        frontend::lower(*source.program, source.kernel, specialisation, *result.context);
  if (!result.module)
    return result.diagnostics->error();
  result.isStated = source.isCta();
  if (source.isCta())
    keepPlan(*result.module, plan);
  return result;
}

namespace {

/// Tells an observer which passes changed the kernel.
struct ChangeInstrumentation : PassInstrumentation {
  explicit ChangeInstrumentation(const KernelModule::PassObserver &observer) : observer(observer) {}

  void runBeforePass(Pass *, Operation *op) override { before.emplace(op); }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (before && *before != OperationFingerPrint(op) && !pass->getArgument().empty())
      observer(pass->getArgument());
  }

  const KernelModule::PassObserver &observer;
  std::optional<OperationFingerPrint> before;
};

} // namespace

ErrorOr<passes::KernelFacts> KernelModule::facts(const passes::PipelineOptions &options,
                                                 StringRef plan) {
  PassManager manager(context.get());
  passes::addFacts(manager, options, plan);
  if (failed(manager.run(*module)))
    return diagnostics->error();
  return passes::KernelFacts::of(kernel());
}

Status KernelModule::carryOut(const passes::PipelineOptions &options, StringRef plan,
                              const PassObserver &observer) {
  PassManager manager(context.get());
  if (observer)
    manager.addInstrumentation(std::make_unique<ChangeInstrumentation>(observer));
  passes::addPlan(manager, options, plan);
  if (failed(manager.run(*module)))
    return diagnostics->error();
  isStated = true;
  return {};
}

Status KernelModule::run(const passes::PipelineOptions &options, passes::Stage upTo,
                         const PassObserver &observer) {
  PassManager manager(context.get());
  if (observer)
    manager.addInstrumentation(std::make_unique<ChangeInstrumentation>(observer));
  passes::addPasses(manager, options, upTo, isStated ? passes::Stage::Cta : passes::Stage::Tile);
  if (source->isCta())
    kernel()->setAttr(cta::kTargetAttr, StringAttr::get(context.get(), options.target));
  if (failed(manager.run(*module)))
    return diagnostics->error();
  return {};
}

func::FuncOp KernelModule::kernel() const { return kernelOf(module.get()); }

ErrorOr<simulator::Statistics>
KernelModule::interpret(llvm::ArrayRef<simulator::Argument> arguments,
                        const simulator::Options &options) {
  if (source->isCta()) // without calls, which have no meaning of their own
    TILEWRIGHT_TRY(run({.target = source->target}, passes::Stage::Tile));
  simulator::Statistics statistics;
  if (failed(simulator::interpret(kernel(), arguments, options, &statistics)))
    return diagnostics->error();
  return statistics;
}

ErrorOr<std::string>
KernelModule::cudaText(bool sourceComments, bool lineDirectives,
                       std::vector<codegen::PlacedStatement> *statements) const {
  codegen::PrintOptions options;
  options.lineDirectives = lineDirectives;
  options.statements = statements;
  if (sourceComments)
    options.sourceLine = [this](StringRef file, unsigned line) {
      return file == source->file ? std::string(source->line(line)) : std::string();
    };
  FailureOr<std::string> text = codegen::printCuda(kernel(), options);
  if (failed(text))
    return diagnostics->error();
  return std::move(*text);
}

std::pair<std::unique_ptr<MLIRContext>, OwningOpRef<ModuleOp>> KernelModule::take() && {
  diagnostics.reset(); // speaks through the context
  return {std::move(context), std::move(module)};
}

std::string KernelModule::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ModuleOp(module.get()).print(stream);
  return text;
}
