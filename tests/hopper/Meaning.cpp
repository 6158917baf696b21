#include "tests/hopper/Meaning.h"

#include "ir/cta/Cta.h"
#include "simulator/Reference.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <deque>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

//===- Reading --------------------------------------------------------------------------------===//

/// A text after the passes down to a level; at least with its functions written out.
static Program readProgram(const std::string &text, passes::Stage upTo) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  tile::TileDialect, cta::CtaDialect>();
  Program program;
  program.context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  program.context->printOpOnDiagnostic(false);
  program.module = parseSourceString<ModuleOp>(text, program.context.get());
  PassManager manager(program.context.get());
  passes::addPasses(manager, {}, upTo, passes::Stage::Cta);
  EXPECT_TRUE(program.module && succeeded(manager.run(*program.module))) << text;
  return program;
}

static std::string nameOf(func::FuncOp kernel, unsigned argument) {
  return kernel.getArgAttrOfType<StringAttr>(argument, tile::kNameAttr).str();
}

//===- The interpreter ------------------------------------------------------------------------===//

static Argument scalarOf(const Numbers1d &numbers, StringRef name) {
  MachineArgument number = numbers.lookup(name);
  if (auto *integer = std::get_if<int64_t>(&number))
    return *integer;
  return std::get<double>(number);
}

static std::string interpretProgram(const Program &program, ArrayRef<HostMatrix *> tensors,
                                    const Numbers1d &numbers) {
  func::FuncOp kernel = program.kernel();
  std::vector<Buffer> buffers;
  buffers.reserve(tensors.size()); // views point to them
  std::vector<Argument> arguments;
  for (BlockArgument value : kernel.getArguments()) {
    auto type = dyn_cast<tile::ViewType>(value.getType());
    if (!type) {
      arguments.push_back(scalarOf(numbers, nameOf(kernel, value.getArgNumber())));
      continue;
    }
    HostMatrix &tensor = *tensors[buffers.size()];
    buffers.push_back(tensor.buffer);
    buffers.back().elementType = type.getElementType();
    ViewValue view{&buffers.back(), 0, llvm::to_vector(tensor.shape), {}};
    for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
      view.strides.push_back(tensor.stride(int64_t(axis)));
    arguments.push_back(view);
  }
  std::string said;
  ScopedDiagnosticHandler handler(program.context.get(), [&](Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      said += "  " + note.str() + "\n";
    return success();
  });
  EXPECT_EQ(failed(interpret(kernel, arguments)), !said.empty()) << said;
  return said;
}

std::string hopper::interpretProgram(const std::string &text, ArrayRef<HostMatrix *> tensors,
                                     const Numbers1d &numbers, passes::Stage upTo) {
  return ::interpretProgram(readProgram(text, upTo), tensors, numbers);
}

//===- Both -----------------------------------------------------------------------------------===//

static std::vector<int64_t> shapeOf(func::FuncOp kernel, unsigned argument,
                                    const Numbers1d &numbers) {
  std::vector<int64_t> shape;
  for (auto dim : kernel.getArgAttrOfType<ArrayAttr>(argument, tile::kDimsAttr)) {
    StringRef name = cast<StringAttr>(dim).getValue();
    int64_t size;
    shape.push_back(name.getAsInteger(10, size) ? std::get<int64_t>(numbers.lookup(name)) : size);
  }
  return shape;
}

/// Whether a program overwrites what a view holds, without having read it.
static bool isOverwritten(Value view) {
  return llvm::all_of(view.getUsers(), [](Operation *user) {
    auto store = dyn_cast<cta::StoreOp>(user);
    return isa<tile::StoreOp, tile::DimOp>(user) || (store && !store.getAdd());
  });
}

/// A tensor for each view of a kernel, of random numbers unless they are overwritten.
static std::deque<HostMatrix> makeTensors(func::FuncOp kernel, const Program &owner,
                                          const Numbers1d &numbers) {
  std::deque<HostMatrix> tensors; // whose buffers stay where they are
  for (BlockArgument value : kernel.getArguments()) {
    auto type = dyn_cast<tile::ViewType>(value.getType());
    if (!type)
      continue;
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    HostMatrix &tensor =
        tensors.emplace_back(owner, element, shapeOf(kernel, value.getArgNumber(), numbers),
                             128 / type.getElementType().getIntOrFloatBitWidth());
    if (isOverwritten(value))
      std::fill(tensor.bytes.begin(), tensor.bytes.end(), char(0x7f));
    else
      tensor.fill(unsigned(tensors.size()));
  }
  return tensors;
}

static std::vector<HostMatrix *> pointersTo(std::deque<HostMatrix> &tensors) {
  std::vector<HostMatrix *> pointers;
  for (HostMatrix &tensor : tensors)
    pointers.push_back(&tensor);
  return pointers;
}

/// A test failure where a tensor is not what is meant, within the rounding of its type.
static void expectMeant(const HostMatrix &made, const HostMatrix &meant, float tolerance) {
  float step = made.type == "bf16" ? 1.0f / 128 : made.type == "f16" ? 1.0f / 1024 : 1e-4f;
  for (int64_t row = 0; row < made.rows; ++row)
    for (int64_t column = 0; column < made.columns; ++column) {
      float one = made.at(row, column), other = meant.at(row, column);
      bool same = one == other || (std::isnan(one) && std::isnan(other)) ||
                  std::abs(one - other) <= tolerance + step * std::abs(other);
      ASSERT_TRUE(same) << "element " << row << ", " << column << " is " << one << ", not "
                        << other;
    }
}

void hopper::expectLikeReference(const std::string &text, const Program &compiled,
                                 const Trial &trial) {
  Program program = readProgram(text, passes::Stage::Tile);
  auto meant = makeTensors(program.kernel(), compiled, trial.numbers);
  ASSERT_EQ(::interpretProgram(program, pointersTo(meant), trial.numbers), "");
  for (const MachineOptions &options : schedules(trial.random)) {
    auto made = makeTensors(program.kernel(), compiled, trial.numbers);
    std::string messages;
    auto arguments = bindArguments(compiled, pointersTo(made), trial.numbers, trial.grid);
    ASSERT_EQ(simulateKernel(compiled, arguments, trial.grid, options, &messages), "") << messages;
    for (size_t i = 0; i < made.size(); ++i)
      expectMeant(made[i], meant[i], trial.tolerance);
  }
}

void hopper::expectLikeReference(const std::string &text, const Trial &trial) {
  Program compiled = lowerProgram(text);
  if (compiled.module)
    expectLikeReference(text, compiled, trial);
}

void hopper::expectSameMeaning(const std::string &text, const std::string &other,
                               const Trial &trial) {
  Program program = readProgram(text, passes::Stage::Tile);
  auto meant = makeTensors(program.kernel(), program, trial.numbers);
  auto made = makeTensors(program.kernel(), program, trial.numbers);
  ASSERT_EQ(::interpretProgram(program, pointersTo(meant), trial.numbers), "");
  ASSERT_EQ(interpretProgram(other, pointersTo(made), trial.numbers), "");
  for (size_t i = 0; i < made.size(); ++i)
    expectMeant(made[i], meant[i], trial.tolerance);
}
