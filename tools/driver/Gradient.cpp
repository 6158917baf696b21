#include "tools/driver/Gradient.h"

#include "frontend/Source.h"
#include "passes/gradient/Differentiate.h"
#include "tools/driver/CtaProgram.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using namespace tilewright::driver;
using frontend::Dtype;
using frontend::Param;
using frontend::Signature;
using passes::GradientParam;

std::string driver::gradientName(llvm::StringRef tensor) { return passes::gradientName(tensor); }

//===- What it takes --------------------------------------------------------------------------===//

/// The floats that a parameter may hold.
static std::vector<Dtype> floatsOf(const Signature &signature, const Param &param) {
  std::vector<Dtype> floats;
  if (param.dtype)
    floats = {*param.dtype};
  for (const frontend::DtypeVariable &variable : signature.dtypes)
    if (variable.name == param.dtypeVariable)
      floats = variable.allowed;
  llvm::erase_if(floats, [](Dtype dtype) { return !frontend::isFloat(dtype); });
  return floats;
}

static bool canBe(const Signature &signature, const Param &param, GradientParam::Kind kind) {
  return param.kind == Param::Tensor && param.written == (kind == GradientParam::OfOutput) &&
         !floatsOf(signature, param).empty();
}

/// The names that the caller states, or all that can be.
static ErrorOr<std::vector<std::string>> resolve(const Signature &signature,
                                                 const std::vector<std::string> &stated,
                                                 GradientParam::Kind kind) {
  bool isOutput = kind == GradientParam::OfOutput;
  std::vector<llvm::StringRef> possible;
  for (const Param &param : signature.params)
    if (canBe(signature, param, kind))
      possible.push_back(param.name);
  for (const std::string &name : stated)
    if (!llvm::is_contained(possible, name))
      return Error{"kernel `" + signature.name + "` has no " + (isOutput ? "output `" : "input `") +
                   name + "` of floats" + frontend::suggest(name, possible) +
                   (isOutput
                        ? "; gradients are given of tensors that it writes"
                        : "; gradients are computed of tensors that it loads and never writes")};
  if (!stated.empty())
    return stated;
  if (possible.empty())
    return Error{"kernel `" + signature.name + "` has no " + (isOutput ? "output" : "input") +
                 " of floats that a gradient could be of"};
  return std::vector<std::string>(possible.begin(), possible.end());
}

/// Of an input: any float of 16 bits or more that the input may be, or f32, which comes first. It
/// is only written: what is added up starts at 0.
static Param gradientOfInput(Signature &signature, const Param &param) {
  Param result = param;
  result.name = gradientName(param.name);
  result.read = false;
  result.written = true;
  std::vector<Dtype> allowed = {Dtype::F32};
  for (Dtype dtype : floatsOf(signature, param))
    if (dtype == Dtype::F16 || dtype == Dtype::BF16)
      allowed.push_back(dtype);
  result.dtype = Dtype::F32;
  result.dtypeVariable.clear();
  if (allowed.size() > 1) {
    result.dtype.reset();
    result.dtypeVariable = result.name;
    signature.dtypes.push_back({result.name, std::move(allowed)});
  }
  return result;
}

static Param gradientOfOutput(const Param &param) {
  Param result = param;
  result.name = gradientName(param.name);
  result.read = true;
  result.written = false;
  return result;
}

/// An output as the forward has left it.
static Param storedOutput(const Param &param) {
  Param result = param;
  result.read = true;
  result.written = false;
  return result;
}

/// Dimensions and dtype variables that no parameter is left to have.
static void dropUnused(Signature &signature) {
  auto isUsed = [&](auto has) { return llvm::any_of(signature.params, has); };
  llvm::erase_if(signature.dtypes, [&](const frontend::DtypeVariable &variable) {
    return !isUsed([&](const Param &param) { return param.dtypeVariable == variable.name; });
  });
  llvm::erase_if(signature.dims, [&](const frontend::DimInfo &dim) {
    return !isUsed([&](const Param &param) {
      return llvm::any_of(param.dims,
                          [&](const frontend::Dim &each) { return each.name == dim.name; });
    });
  });
}

/// Parameters without a default stand before those with one, and constants behind all.
static Signature gradientSignature(const Signature &forward, const GradientOf &of) {
  Signature result = forward;
  result.name = passes::gradientKernelName(forward.name);
  result.doc = "The gradient of `" + forward.name + "`.";
  result.params.clear();
  std::vector<Param> required, optional, constants;
  auto place = [&](Param param) {
    bool isConstant = param.kind == Param::Const || param.kind == Param::Tune;
    bool mayBeLeftOut = param.optional || param.defaultValue;
    (isConstant ? constants : mayBeLeftOut ? optional : required).push_back(std::move(param));
  };
  for (const Param &param : forward.params)
    if (llvm::is_contained(of.stored, param.name))
      place(storedOutput(param));
  for (const Param &param : forward.params)
    if (llvm::is_contained(of.given, param.name))
      place(gradientOfOutput(param));
    else if (param.kind != Param::Tensor || !param.written)
      place(param);
  for (const std::string &name : of.wrt)
    place(gradientOfInput(result, *forward.param(name)));
  for (const auto *group : {&required, &optional, &constants})
    result.params.insert(result.params.end(), group->begin(), group->end());
  dropUnused(result);
  return result;
}

static Status checkNames(const Signature &forward, const GradientOf &of) {
  for (const auto *names : {&of.wrt, &of.given})
    for (const std::string &name : *names)
      if (forward.param(gradientName(name)))
        return Error{"kernel `" + forward.name + "` has a `" + gradientName(name) +
                     "`, as the gradient of `" + name + "` is called: rename it"};
  return {};
}

ErrorOr<KernelTextPtr> driver::gradientOf(const KernelTextPtr &forward, const GradientOf &wanted) {
  if (forward->isCta())
    return Error{"kernel `" + forward->kernel +
                 "` is a program of the `cta` level, and gradients "
                 "are of kernels in the language"};
  if (forward->forward)
    return Error{"kernel `" + forward->kernel + "` is a gradient: there are no second ones"};
  const Signature &signature = forward->signature();
  GradientOf of;
  TILEWRIGHT_ASSIGN(of.wrt, resolve(signature, wanted.wrt, GradientParam::OfInput));
  TILEWRIGHT_ASSIGN(of.given, resolve(signature, wanted.given, GradientParam::OfOutput));
  if (!wanted.stored.empty()) {
    TILEWRIGHT_ASSIGN(of.stored, resolve(signature, wanted.stored, GradientParam::OfOutput));
  }
  TILEWRIGHT_TRY(checkNames(signature, of));
  auto result = std::make_shared<KernelText>(*forward);
  result->forward = forward;
  result->stated = gradientSignature(signature, of);
  result->kernel = result->stated.name;
  Hasher hasher;
  hasher.addField(forward->contents.hex());
  for (const Param &param : result->stated.params)
    hasher.addField(param.name);
  result->contents = hasher.finish();
  result->hash = Hasher().addField(result->file).addField(result->contents.hex()).finish();
  return KernelTextPtr(std::move(result));
}

//===- Its module -----------------------------------------------------------------------------===//

/// What a parameter of the gradient kernel has to do with the forward's.
static GradientParam roleOf(const KernelText &text, const Param &param) {
  const Signature &forward = text.forward->signature();
  if (const Param *same = forward.param(param.name))
    return {
        same->written ? GradientParam::Stored : GradientParam::Kept, param.name, param.name, {}};
  for (const Param &of : forward.params)
    if (gradientName(of.name) == param.name)
      return {
          of.written ? GradientParam::OfOutput : GradientParam::OfInput, param.name, of.name, {}};
  llvm_unreachable("a parameter is the forward's, or a gradient of one");
}

frontend::Specialisation driver::forwardOf(const KernelText &text,
                                           const frontend::Specialisation &bound) {
  frontend::Specialisation result;
  result.dims = bound.dims;
  result.consts = bound.consts;
  for (const frontend::DtypeVariable &variable : text.forward->signature().dtypes) {
    auto known = bound.dtypes.find(variable.name);
    result.dtypes[variable.name] =
        known == bound.dtypes.end() ? variable.allowed.front() : known->second;
  }
  for (const Param &param : text.signature().params) {
    GradientParam role = roleOf(text, param);
    if (auto facts = bound.tensors.find(param.name);
        facts != bound.tensors.end() && role.kind != GradientParam::OfInput) {
      if (role.kind != GradientParam::OfOutput)
        result.tensors[role.of] = facts->second;
      else
        result.tensors.try_emplace(role.of); // not if it is stored
    }
  }
  return result;
}

/// The view of a gradient: shaped as its tensor, of its own dtype and facts.
static tile::ViewType viewOf(tile::ViewType tensor, const Param &param,
                             const frontend::Specialisation &bound) {
  Dtype dtype = param.dtype ? *param.dtype : bound.dtypes.lookup(param.dtypeVariable);
  mlir::Type element = frontend::dtypeToType(dtype, *tensor.getContext());
  frontend::TensorFacts facts = bound.tensors.lookup(param.name);
  int64_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  return tile::ViewType::get(tensor.getContext(), tensor.getShape(), element,
                             facts.align ? facts.align : bytes, facts.strided, facts.wide);
}

static mlir::FailureOr<std::vector<GradientParam>> paramsOf(const KernelText &text,
                                                            const frontend::Specialisation &bound,
                                                            mlir::func::FuncOp forward) {
  llvm::StringMap<mlir::Type> types;
  for (auto [index, type] : llvm::enumerate(forward.getArgumentTypes()))
    types[forward.getArgAttrOfType<mlir::StringAttr>(index, tile::kNameAttr)] = type;
  std::vector<GradientParam> params;
  for (const Param &param : text.signature().params) {
    bool isTensor = param.kind == Param::Tensor;
    if (!isTensor && param.kind != Param::Scalar)
      continue;
    if (param.optional && !bound.tensors.contains(param.name))
      continue;
    GradientParam role = roleOf(text, param);
    auto type = types.find(role.of);
    if (type == types.end()) {
      mlir::emitError(forward.getLoc()) << "`" << param.name << "` is given, and `" << role.of
                                        << "`, whose gradient it is, is not";
      return mlir::failure();
    }
    if (role.kind == GradientParam::OfInput || role.kind == GradientParam::OfOutput)
      role.type = viewOf(mlir::cast<tile::ViewType>(type->second), param, bound);
    params.push_back(std::move(role));
  }
  return params;
}

/// Folds, and merges equal values.
static mlir::LogicalResult clean(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  manager.addNestedPass<mlir::func::FuncOp>(mlir::createCanonicalizerPass());
  manager.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
  return manager.run(module);
}

mlir::OwningOpRef<mlir::ModuleOp> driver::lowerGradient(const KernelText &text,
                                                        const frontend::Specialisation &bound,
                                                        mlir::MLIRContext &context) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      frontend::lower(*text.program, text.forward->kernel, forwardOf(text, bound), context);
  if (!module || mlir::failed(clean(*module)))
    return nullptr;
  mlir::func::FuncOp forward = kernelOf(*module);
  auto params = paramsOf(text, bound, forward);
  if (mlir::failed(params) || mlir::failed(passes::differentiate(forward, *params)) ||
      mlir::failed(clean(*module)))
    return nullptr;
  return module;
}
