#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

//===- What the host bound --------------------------------------------------------------------===//

LogicalResult Lowering::checkKnown(StringRef what, StringRef name,
                                   llvm::ArrayRef<StringRef> candidates) {
  if (llvm::is_contained(candidates, name))
    return success();
  return error(kernel.loc) << "the kernel `" << kernel.name << "` has no " << what << " `" << name
                           << "`" << suggest(name, candidates);
}

LogicalResult Lowering::checkConst(StringRef name, const ConstValue &value) {
  const Param *param = signature.param(name);
  if (param->kind == Param::Const && typeOf(value) != param->constType &&
      !(param->constType == "float" && typeOf(value) == "int"))
    return error(kernel.loc) << "`" << name << "` is a `const[" << param->constType << "]`, not `"
                             << toString(value) << "`";
  // The tuner may try values that are not listed, if they have the right type.
  if (param->kind == Param::Tune && typeOf(value) != typeOf(*param->defaultValue))
    return error(kernel.loc) << "`" << name << "` is chosen among values of type `"
                             << typeOf(*param->defaultValue) << "`, not `" << toString(value)
                             << "`";
  return success();
}

LogicalResult Lowering::checkSpecialisation() {
  llvm::SmallVector<StringRef> dimNames, dtypeNames, constNames, tensorNames;
  for (const DimInfo &dim : signature.dims)
    dimNames.push_back(dim.name);
  for (const DtypeVariable &variable : signature.dtypes)
    dtypeNames.push_back(variable.name);
  for (const Param &param : signature.params) {
    if (param.kind == Param::Tensor)
      tensorNames.push_back(param.name);
    else if (param.kind != Param::Scalar)
      constNames.push_back(param.name);
  }
  for (const auto &[name, size] : specialisation.dims) {
    if (failed(checkKnown("dimension", name, dimNames)))
      return failure();
    if (size <= 0 || size > INT32_MAX)
      return error(kernel.loc) << "the dimension `" << name << "` cannot be " << size;
  }
  for (const auto &entry : specialisation.dtypes)
    if (failed(checkKnown("dtype variable", entry.getKey(), dtypeNames)))
      return failure();
  for (const auto &entry : specialisation.tensors)
    if (failed(checkKnown("tensor", entry.getKey(), tensorNames)))
      return failure();
  for (const auto &[name, value] : specialisation.consts)
    if (failed(checkKnown("constant", name, constNames)) || failed(checkConst(name, value)))
      return failure();
  for (const DimInfo &dim : signature.dims)
    if (dim.isStatic && !specialisation.dims.contains(dim.name))
      return error(kernel.loc) << "a tile extent of `" << kernel.name << "` depends on `"
                               << dim.name << "`: its size must be given";
  for (const DtypeVariable &variable : signature.dtypes) {
    auto bound = specialisation.dtypes.find(variable.name);
    if (bound == specialisation.dtypes.end())
      return error(kernel.loc) << "the dtype `" << variable.name << "` of `" << kernel.name
                               << "` must be given";
    if (!llvm::is_contained(variable.allowed, bound->second)) {
      std::string list;
      for (Dtype dtype : variable.allowed)
        list += (list.empty() ? "`" : ", `") + dtypeName(dtype).str() + "`";
      return error(kernel.loc) << "`" << variable.name << "` may be " << list << ", not `"
                               << dtypeName(bound->second) << "`";
    }
  }
  return success();
}

bool Lowering::isGiven(const Param &param) const {
  return !param.optional || specialisation.tensors.contains(param.name);
}

//===- The function ---------------------------------------------------------------------------===//

FailureOr<Type> Lowering::viewType(const Param &param) {
  llvm::SmallVector<int64_t> shape;
  for (const Dim &dim : param.dims) {
    auto size = specialisation.dims.find(dim.name);
    bool bound = !dim.name.empty() && size != specialisation.dims.end();
    shape.push_back(dim.name.empty() ? dim.size : bound ? size->second : ShapedType::kDynamic);
  }
  Dtype dtype = param.dtype ? *param.dtype : specialisation.dtypes.lookup(param.dtypeVariable);
  Type element = dtypeToType(dtype, *builder.getContext());
  TensorFacts facts = specialisation.tensors.lookup(param.name);
  int64_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  int64_t align = facts.align ? facts.align : bytes;
  if (align < 0 || (align & (align - 1)))
    return error(kernel.loc) << "the alignment of `" << param.name
                             << "` must be a power of two, not " << align;
  return Type(
      tile::ViewType::get(builder.getContext(), shape, element, align, facts.strided, facts.wide));
}

FailureOr<func::FuncOp> Lowering::function() {
  llvm::SmallVector<Type> types;
  llvm::SmallVector<DictionaryAttr> attributes;
  llvm::SmallVector<Location> locations;
  for (auto [param, decl] : llvm::zip(signature.params, kernel.params)) {
    if (param.kind == Param::Const || param.kind == Param::Tune || !isGiven(param))
      continue;
    NamedAttrList attrs;
    attrs.set(tile::kNameAttr, builder.getStringAttr(param.name));
    if (param.kind == Param::Tensor) {
      FailureOr<Type> view = viewType(param);
      if (failed(view))
        return failure();
      types.push_back(*view);
      llvm::SmallVector<Attribute> names;
      for (const Dim &dim : param.dims)
        names.push_back(
            builder.getStringAttr(dim.name.empty() ? std::to_string(dim.size) : dim.name));
      attrs.set(tile::kDimsAttr, builder.getArrayAttr(names));
    } else {
      types.push_back(dtypeToType(*param.dtype, *builder.getContext()));
    }
    attributes.push_back(attrs.getDictionary(builder.getContext()));
    locations.push_back(NameLoc::get(builder.getStringAttr(param.name), at(decl.loc)));
  }
  auto op =
      builder.create<func::FuncOp>(at(kernel.loc), kernel.name, builder.getFunctionType(types, {}));
  op->setAttr(tile::kKernelAttr, builder.getUnitAttr());
  op.setAllArgAttrs(attributes);
  Block *entry = op.addEntryBlock();
  for (auto [argument, location] : llvm::zip(entry->getArguments(), locations))
    argument.setLoc(location);
  return op;
}

OwningOpRef<ModuleOp> Lowering::run() {
  if (failed(checkSpecialisation()))
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(at({}));
  builder.setInsertionPointToEnd(module->getBody());
  FailureOr<func::FuncOp> op = function();
  if (failed(op))
    return nullptr;
  func = *op;
  builder.setInsertionPointToEnd(&func.getBody().front());

  Frame top;
  frame = &top;
  frame->runtimeDepth = 0;
  unsigned argument = 0;
  for (const Param &param : signature.params) {
    Term &term = frame->variables[param.name];
    if (param.kind == Param::Const || param.kind == Param::Tune) {
      auto bound = specialisation.consts.find(param.name);
      if (bound == specialisation.consts.end() && !param.defaultValue) {
        error(kernel.loc) << "the constant `" << param.name << "` of `" << kernel.name
                          << "` must be given";
        return nullptr;
      }
      term.constant = bound == specialisation.consts.end() ? *param.defaultValue : bound->second;
      if (param.constType == "float")
        term.constant = asDouble(term.constant);
    } else if (isGiven(param)) {
      term = Term::of(func.getArgument(argument++));
      if (param.kind == Param::Tensor) {
        term.kind = Term::Tensor;
        term.param = &param;
      }
    }
  }
  if (failed(block(kernel.body)))
    return nullptr;
  if (!gridSeen) {
    error(kernel.loc) << "the kernel `" << kernel.name
                      << "` never calls `grid`: begin with `i = grid(...)`";
    return nullptr;
  }
  builder.create<func::ReturnOp>(at(kernel.loc));
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

//===- Names ----------------------------------------------------------------------------------===//

FailureOr<Term> Lowering::dim(StringRef name, Loc loc) {
  if (auto known = dims.find(name); known != dims.end())
    return known->second;
  if (auto size = specialisation.dims.find(name); size != specialisation.dims.end())
    return dims[name] = Term::ofConst(size->second);
  // The first argument with the dimension; all others have the same size.
  for (BlockArgument argument : func.getArguments()) {
    auto names = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), tile::kDimsAttr);
    if (!names)
      continue;
    for (auto [axis, attr] : llvm::enumerate(names)) {
      if (cast<StringAttr>(attr).getValue() != name)
        continue;
      OpBuilder::InsertionGuard guard(builder);
      Block &entry = func.getBody().front();
      if (lastDim)
        builder.setInsertionPointAfter(lastDim);
      else
        builder.setInsertionPointToStart(&entry);
      Location location =
          NameLoc::get(builder.getStringAttr(name), at(program.dims.find(name)->second));
      auto op = builder.create<tile::DimOp>(location, i32(), argument, axis);
      lastDim = op;
      return dims[name] = Term::of(op.getResult());
    }
  }
  return error(loc) << "no tensor that `" << kernel.name << "` was given has the dimension `"
                    << name << "`";
}

FailureOr<Term> Lowering::lookUp(StringRef name, Loc loc) {
  if (auto variable = frame->variables.find(name); variable != frame->variables.end())
    return variable->second;
  if (auto ended = frame->ended.find(name); ended != frame->ended.end()) {
    const Stmt &stmt = *ended->second;
    StringRef word = stmt.kind == StmtKind::For     ? "for"
                     : stmt.kind == StmtKind::While ? "while"
                                                    : "if";
    return error(loc) << "`" << name << "` has a value only inside the `" << word << "` of line "
                      << stmt.loc.line << ": assign it before that";
  }
  if (program.dims.contains(name))
    return dim(name, loc);
  if (program.dtypes.contains(name)) {
    auto bound = specialisation.dtypes.find(name);
    if (bound == specialisation.dtypes.end())
      return error(loc) << "no tensor of `" << kernel.name << "` has the dtype `" << name << "`";
    return Term::ofConst(bound->second);
  }
  if (auto constant = program.constants.find(name); constant != program.constants.end())
    return Term::ofConst(constant->second);
  if (std::optional<double> number = findConstant(name))
    return Term::ofConst(*number);
  if (std::optional<Dtype> dtype = dtypeFromName(name))
    return Term::ofConst(*dtype);
  if (findBuiltin(name) || program.functions.contains(name) || program.borrowed.contains(name))
    return error(loc) << "`" << name << "` is a function: call it, `" << name << "(...)`";
  if (isMarker(name))
    return error(loc) << "`" << name << "` has no meaning inside a function";
  return error(loc) << "`" << name << "` is used before it is assigned";
}

Value Lowering::i32Constant(Loc loc, int64_t value) {
  return builder.create<arith::ConstantOp>(at(loc), builder.getI32IntegerAttr(int32_t(value)));
}

/// Gives the value its name in the source, for later stages.
void Lowering::nameTerm(Term &term, StringRef name) {
  if (term.kind == Term::Range && term.name.empty())
    term.name = name;
  if (term.kind != Term::Scalar && term.kind != Term::Tile && term.kind != Term::Range)
    return;
  Operation *op = term.value.getDefiningOp();
  if (op && isa<FileLineColLoc>(op->getLoc()) &&
      !(term.kind == Term::Range && isa<arith::ConstantOp>(op)))
    op->setLoc(NameLoc::get(builder.getStringAttr(name), op->getLoc()));
}

/// Bounds the work. Otherwise functions that call each other twice, or nested loops that are
/// lowered again, could take for ever. (300,000 take a second.)
bool Lowering::spend(Loc loc) {
  constexpr unsigned kLimit = 100000;
  if (work < kLimit && ++work == kLimit)
    error(loc) << "the kernel is too large: more than " << kLimit << " expressions after inlining";
  return work < kLimit;
}

OwningOpRef<ModuleOp> tilewright::frontend::lower(const Program &program, StringRef kernel,
                                                  const Specialisation &specialisation,
                                                  MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                      tile::TileDialect>();
  for (const auto &[decl, signature] : program.impl->kernels)
    if (signature.name == kernel)
      return Lowering(*program.impl, *decl, signature, specialisation, context).run();
  Source source{program.impl->text, program.impl->file, &context};
  source.error({}) << "the file has no kernel `" << kernel << "`"
                   << suggest(kernel, program.kernels());
  return nullptr;
}
