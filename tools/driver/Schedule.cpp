#include "tools/driver/Schedule.h"

#include "codegen/PrintCuda.h"
#include "ir/Target.h"
#include "passes/Passes.h"
#include "passes/Pipeline.h"
#include "tools/driver/Describe.h"
#include "tools/driver/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

func::FuncOp Schedule::kernel() const {
  return *ModuleOp(const_cast<OwningOpRef<ModuleOp> &>(module).get())
              .getOps<func::FuncOp>()
              .begin();
}

/// Gives values the names that they have in the text.
static void nameValues(const AsmParserState &state) {
  auto nameOf = [](SMRange range, Location at) -> Location {
    StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
    return NameLoc::get(StringAttr::get(at.getContext(), text.ltrim('%')), at);
  };
  for (const auto &definition : state.getOpDefs())
    if (definition.resultGroups.size() == 1)
      definition.op->setLoc(
          nameOf(definition.resultGroups.front().definition.loc, definition.op->getLoc()));
  for (const auto &definition : state.getBlockDefs())
    for (auto [argument, place] : llvm::zip(definition.block->getArguments(), definition.arguments))
      argument.setLoc(nameOf(place.loc, argument.getLoc()));
}

static OwningOpRef<ModuleOp> parseNamed(MLIRContext &context, const std::string &text,
                                        const std::string &file) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, file), SMLoc());
  AsmParserState state;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(&context), &state)))
    return {};
  nameValues(state);
  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(&context, file, 1, 1));
  module->getBody()->getOperations().splice(module->getBody()->end(), block.getOperations());
  return module;
}

/// The kernel of a module of the `cta` level.
static ErrorOr<func::FuncOp> findKernel(ModuleOp module, const std::string &file) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      kernels.push_back(function);
  if (kernels.size() != 1)
    return Error{file + ": has " + std::to_string(kernels.size()) +
                 " kernels; it needs one, and functions beside it are `private`"};
  auto target = kernels[0]->getAttrOfType<StringAttr>(cta::kTargetAttr);
  if (!target || !findTarget(target))
    return Error{file + ": kernel `" + kernels[0].getName().str() +
                 "` needs a target that exists, such as `cta.target = \"sm_90\"`"};
  return kernels[0];
}

ErrorOr<Schedule> driver::lowerSchedule(const std::string &text, const std::string &file) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  tile::TileDialect, cta::CtaDialect, cuda::CudaDialect>();
  Schedule result;
  result.file = file;
  result.context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  result.context->printOpOnDiagnostic(false);
  Diagnostics diagnostics(*result.context, file, text);
  result.module = parseNamed(*result.context, text, file);
  if (!result.module)
    return diagnostics.error(file + ": is no kernel");
  TILEWRIGHT_ASSIGN(func::FuncOp kernel, findKernel(*result.module, file));
  TILEWRIGHT_ASSIGN(result.source, describeArguments(kernel));
  result.outline = outlineOf(kernel);
  result.source.location = file + ":1";
  result.source.options = {"-lineinfo"}; // so that what is found in machine code has a line
  result.source.target = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).str();

  PassManager manager(result.context.get());
  passes::addPasses(manager, {}, passes::Stage::Cuda, passes::Stage::Cta);
  if (failed(manager.run(*result.module)))
    return diagnostics.error(file + ": could not be lowered");
  TILEWRIGHT_TRY(describeCuda(result.kernel(), result.source));
  codegen::PrintOptions options;
  options.lineDirectives = true;
  FailureOr<std::string> printed = codegen::printCuda(result.kernel(), options);
  if (failed(printed))
    return diagnostics.error(file + ": could not be printed");
  result.source.text = std::move(*printed);
  result.remarks = diagnostics.remarks();
  return result;
}

std::string driver::cudaListing(const Schedule &schedule, const std::string &text) {
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  codegen::PrintOptions options;
  options.sourceLine = [&](StringRef, unsigned line) {
    return line <= lines.size() ? lines[line - 1].trim().str() : "";
  };
  return *codegen::printCuda(schedule.kernel(), options); // it was printed before
}
