#include "codegen/Names.h"

#include "codegen/MadeFunctions.h"
#include "codegen/Prelude.h"
#include "ir/cuda/Cuda.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

/// Keywords of C++ and names that CUDA defines without a header.
static constexpr StringLiteral kReserved[] = {
#define TILEWRIGHT_RESERVED(name) #name,
#include "codegen/ReservedNames.def"
};

Names::Names() {
  for (StringRef name : kReserved)
    taken.insert(name);
  for (StringRef name : preludeNames())
    taken.insert(name);
}

void Names::popScope() {
  for (const std::string &name : scopes.back())
    taken.erase(name);
  scopes.pop_back();
}

/// Valid in C++ and not reserved by it: no leading underscore, no double one.
static std::string sanitised(StringRef wanted) {
  std::string name;
  for (char c : wanted) {
    char valid = llvm::isAlnum(c) ? c : '_';
    if (valid != '_' || (!name.empty() && name.back() != '_'))
      name += valid;
  }
  if (name.empty() || llvm::isDigit(name.front()))
    name = "v" + name;
  return name;
}

std::string Names::fresh(StringRef wanted) {
  std::string base = sanitised(wanted);
  if (isMadeName(base))
    base = "the_" + base;
  std::string name = base;
  for (int count = 2; taken.contains(name); ++count)
    name = base + (base.back() == '_' ? "" : "_") + std::to_string(count);
  taken.insert(name);
  scopes.back().push_back(name);
  return name;
}

std::string Names::freshCounter() {
  for (StringRef letter : {"i", "j", "k", "l", "m", "n"})
    if (!taken.contains(letter))
      return fresh(letter);
  return fresh("i");
}

StringRef codegen::nameOf(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = nameOf(part); !name.empty())
        return name;
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return nameOf(call.getCallee());
  return "";
}

std::optional<FileLineColLoc> codegen::sourceOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return place;
  if (auto named = dyn_cast<NameLoc>(location))
    return sourceOf(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return sourceOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (auto place = sourceOf(part))
        return place;
  return std::nullopt;
}

/// A name from the operand of `user` that `value` is, or an empty string.
static StringRef nameByUse(Operation *user, Value value) {
  return llvm::TypeSwitch<Operation *, StringRef>(user)
      .Case<cuda::LoadGlobalOp, cuda::StoreGlobalOp, cuda::AtomicOp>([&](auto op) {
        if (op.getPredicate() == value)
          return StringRef("inside");
        return StringRef(op.getOffset() == value ? "offset" : "");
      })
      .Case([&](cuda::CpAsyncOp op) {
        if (op.getValid() == value)
          return StringRef("valid");
        return StringRef(op.getOffset() == value ? "offset" : "address");
      })
      .Case([&](cuda::StoreSharedOp op) {
        if (op.getPredicate() == value)
          return StringRef("inside");
        return StringRef(op.getAddress() == value ? "address" : "");
      })
      .Case([&](cuda::StoreAsyncOp op) {
        return StringRef(op.getAddress() == value ? "address" : "");
      })
      .Case<cuda::LoadSharedOp, cuda::LdmatrixOp, cuda::StmatrixOp>(
          [&](auto op) { return StringRef(op.getAddress() == value ? "address" : ""); })
      .Default([](Operation *) { return StringRef(); });
}

/// A name from the op that computes the value.
static StringRef nameByOp(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](cuda::ThreadIdOp) { return "thread"; })
      .Case([](cuda::BlockIdOp) { return "block"; })
      .Case([](cuda::SharedOp) { return "buffer"; })
      .Case([](cuda::RegsOp) { return "regs"; })
      .Default([](Operation *) { return ""; });
}

static StringRef nameByType(Type type) {
  if (isa<VectorType>(type))
    return "word";
  if (type.isInteger(1))
    return "test";
  return "value";
}

std::string codegen::wantedName(Value value) {
  if (StringRef name = nameOf(value.getLoc()); !name.empty())
    return name.str();
  if (StringRef name = nameByOp(value); !name.empty())
    return name.str();
  for (OpOperand &use : value.getUses())
    if (StringRef name = nameByUse(use.getOwner(), value); !name.empty())
      return name.str();
  return nameByType(value.getType()).str();
}
