#include "passes/analysis/KernelFacts.h"

#include "ir/ProductForms.h"
#include "ir/tile/Parts.h"
#include "passes/analysis/Accesses.h"
#include "passes/analysis/KernelFlow.h"
#include "support/Hash.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright::passes {

using namespace mlir;

bool isWritten(Value view) {
  return llvm::any_of(usersOf(view),
                      [](Operation *user) { return isa<tile::StoreOp, tile::AtomicOp>(user); });
}

/// Whether a producer cannot compute an op's result: it is a product, or reads what the kernel has
/// written.
static bool isOwnResult(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return isa<tile::DotOp, tile::AtomicOp>(op) || (load && isWritten(load.getView()));
}

/// The values that a value directly depends on, also through loops and branches.
static SmallVector<Value> stepBack(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    if (!init)
      return {};
    return {init->get(), loop.getTiedLoopYieldedValue(argument)->get()};
  }
  Operation *op = value.getDefiningOp();
  SmallVector<Value> values(op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        llvm::append_range(values, block.getTerminator()->getOperands());
  return values;
}

/// Whether a value depends on such a result.
static bool followsFromResult(Value value, llvm::SmallDenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  return (op && isOwnResult(op)) ||
         llvm::any_of(stepBack(value), [&](Value v) { return followsFromResult(v, seen); });
}

/// Whether a scalar only scales tiles: no address, bound or condition depends on it.
static bool scalesTiles(Value scalar) {
  return llvm::all_of(scalar.getUsers(), [](Operation *user) {
    return isa<tile::SplatOp>(user) ||
           (isa<arith::MulFOp, arith::AddFOp, arith::SubFOp, arith::DivFOp>(user) &&
            scalesTiles(user->getResult(0)));
  });
}

/// Whether address and count of a load are known ahead.
static bool isKnownAhead(tile::LoadOp load) {
  SmallVector<Value> open(load.getIndices());
  llvm::append_range(open, tile::boundsOfPart(load.getView()));
  for (Operation *around = load->getParentOp(); !isa<func::FuncOp>(around);
       around = around->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(around))
      open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    else
      llvm::append_range(open, around->getOperands()); // the condition of a branch
  llvm::SmallDenseSet<Value> seen;
  return llvm::none_of(open, [&](Value value) { return followsFromResult(value, seen); });
}

/// Whether a producer that runs ahead could read too early. What its own program stores later is no
/// reason, and what other programs store is in no order with the load anyway. Atomic updates are
/// made to be seen by other programs.
static bool mayBeWrittenBefore(tile::LoadOp load) {
  Block *body = load->getBlock();
  if (!isa<func::FuncOp>(body->getParentOp())) // its loop may come here again
    return isWritten(load.getView());
  return llvm::any_of(usersOf(load.getView()), [&](Operation *user) {
    return isa<tile::AtomicOp>(user) ||
           (isa<tile::StoreOp>(user) && !load->isBeforeInBlock(body->findAncestorOpInBlock(*user)));
  });
}

static bool runsAhead(tile::LoadOp load) {
  bool isTile = isa<RankedTensorType>(load.getResult().getType());
  bool isFactor = load->getParentOfType<scf::ForOp>() && scalesTiles(load.getResult());
  return (isTile || isFactor) && !mayBeWrittenBefore(load) && isKnownAhead(load);
}

/// The tile that an operand of a product is, transposed or not.
static Value sourceOf(Value operand) {
  auto transpose = operand.getDefiningOp<tile::TransposeOp>();
  return transpose ? transpose.getSource() : operand;
}

static tile::LoadOp loadOf(Value operand) {
  return sourceOf(operand).getDefiningOp<tile::LoadOp>();
}

const Stream *KernelFacts::streamOf(Value operand) const {
  tile::LoadOp load = loadOf(operand);
  auto found = llvm::find_if(streams, [&](const Stream &each) { return each.load == load; });
  return load && found != streams.end() ? &*found : nullptr;
}

const ComputedTile *KernelFacts::computedOf(Value operand) const {
  Value source = sourceOf(operand);
  auto found = llvm::find_if(tiles, [&](const ComputedTile &each) { return each.tile == source; });
  return found == tiles.end() ? nullptr : &*found;
}

/// Whether wgmma can read this stream only after it has been transposed.
static bool needsTurning(tile::DotOp dot, bool isRight) {
  Type element = dot.getB().getType().getElementType();
  Value operand = isRight ? dot.getB() : dot.getA();
  return bool(operand.getDefiningOp<tile::TransposeOp>()) != isRight &&
         element.getIntOrFloatBitWidth() != 16 &&
         llvm::any_of(productForms(), [&](const ProductForm &form) {
           return form.unit == ProductUnit::Wgmma && form.multiplies(element, dot.getTf32());
         });
}

/// Numbers the operands of products that are not streams, or that are streams to be transposed.
static void findComputed(KernelFacts &facts) {
  for (const ProductFact &product : facts.products) {
    tile::DotOp dot = product.dot;
    for (bool isRight : {false, true}) {
      Value operand = isRight ? dot.getB() : dot.getA(), tile = sourceOf(operand);
      bool isTurned = facts.streamOf(operand);
      if (isTurned && !needsTurning(dot, isRight))
        continue;
      auto found = llvm::find_if(facts.tiles, [&](auto &each) { return each.tile == tile; });
      if (found == facts.tiles.end()) {
        facts.tiles.push_back({"t" + std::to_string(facts.tiles.size() + 1), tile, {}, isTurned});
        found = std::prev(facts.tiles.end());
      }
      found->uses.push_back({dot, isRight, operand != tile});
    }
  }
}

/// An op as a store (e1), if it is one outside of branches.
static std::optional<End> endOf(Operation *op) {
  for (Operation *around = op->getParentOp(); !isa<func::FuncOp>(around);
       around = around->getParentOp())
    if (!isa<scf::ForOp>(around))
      return std::nullopt;
  End end;
  if (auto store = dyn_cast<tile::StoreOp>(op))
    end = {"", op, store.getValue(), store.getView()};
  else if (auto atomic = dyn_cast<tile::AtomicOp>(op);
           atomic && atomic.getKind() == tile::AtomicKind::Add)
    end = {"", op, atomic.getValue(), atomic.getView()};
  return end.tile && isa<RankedTensorType>(end.tile.getType()) ? std::optional(end) : std::nullopt;
}

KernelFacts KernelFacts::of(func::FuncOp kernel) {
  KernelFacts facts;
  auto number = [](char letter, size_t before) { return letter + std::to_string(before + 1); };
  llvm::SmallSetVector<Operation *, 8> loads;
  kernel.walk([&](tile::DotOp dot) {
    facts.products.push_back({number('p', facts.products.size()), dot});
    for (Value operand : {Value(dot.getA()), Value(dot.getB())})
      if (tile::LoadOp load = loadOf(operand); load && runsAhead(load))
        loads.insert(load);
  });
  for (bool isTile : {true, false})
    kernel.walk([&](tile::LoadOp load) {
      if (runsAhead(load) && isa<RankedTensorType>(load.getResult().getType()) == isTile)
        loads.insert(load);
    });
  for (Operation *load : loads)
    facts.streams.push_back({number('s', facts.streams.size()), cast<tile::LoadOp>(load)});
  findComputed(facts);
  kernel.walk<WalkOrder::PreOrder>(
      [&](scf::ForOp loop) { facts.loops.push_back({number('l', facts.loops.size()), loop}); });
  kernel.walk([&](Operation *op) {
    if (std::optional<End> end = endOf(op))
      end->id = number('e', facts.ends.size()), facts.ends.push_back(*end);
  });
  readFlow(facts, kernel);
  return facts;
}

//===- As text --------------------------------------------------------------------------------===//

static std::string shapeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto tile = dyn_cast<RankedTensorType>(type);
  if (tile)
    llvm::interleave(tile.getShape(), stream, "x");
  stream << (tile ? " " : "one ") << getElementTypeOrSelf(type);
  return text;
}

/// " a": the name of the view that is read or written.
static std::string nameOf(Value view) {
  auto argument = cast<BlockArgument>(tile::tensorOf(view));
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  return name ? " " + name.str() : " argument " + std::to_string(argument.getArgNumber());
}

/// ", in a loop": where an op stands.
static std::string placeOf(Operation *op) {
  int64_t loops = 0;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    loops += isa<LoopLikeOpInterface>(around);
  return loops == 0 ? "" : loops == 1 ? ", in a loop" : ", in " + std::to_string(loops) + " loops";
}

/// ", line 27"
static std::string lineOf(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? ", line " + std::to_string(place.getLine()) : "";
}

namespace {

/// Says what each fact is, with names and lines of the source or without.
struct Writer {
  std::string access(StringRef id, StringRef does, Operation *op, Value view, Type tile) const {
    return (id + "  " + does + (withSource ? nameOf(view) : "") + ": " + shapeOf(tile) + end(op))
        .str();
  }

  std::string product(const ProductFact &fact) const {
    tile::DotOp dot = fact.dot;
    std::string sum = isa<BlockArgument>(dot.getAcc()) ? ", added to what the loop carries" : "";
    return fact.id + "  multiplies " + idOf(dot.getA()) + " by " + idOf(dot.getB()) + ": " +
           shapeOf(dot.getResult().getType()) + ", " +
           std::to_string(dot.getA().getType().getDimSize(1)) + " deep" + sum + end(dot);
  }

  std::string loop(LoopFact fact) const {
    std::vector<std::string> inside;
    for (ProductFact product : facts.products)
      if (product.dot->getBlock() == fact.loop.getBody())
        inside.push_back(product.id);
    return fact.id + "  repeats " + (inside.empty() ? "no product" : llvm::join(inside, " and ")) +
           end(fact.loop);
  }

  const KernelFacts &facts;
  bool withSource;

  std::string computed(const ComputedTile &tile) const {
    std::vector<std::string> sources = sourcesOf(tile.tile), uses;
    for (ComputedTile::Use use : tile.uses)
      uses.push_back((use.isRight                          ? "right of "
                      : use.isTransposed && !tile.isTurned ? "transposed left of "
                                                           : "left of ") +
                     idOf(use.dot));
    if (tile.isTurned) {
      auto type = cast<RankedTensorType>(tile.tile.getType());
      auto turned =
          RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
      return tile.id + "  turns " + idOf(tile.tile) + ", " + llvm::join(uses, " and ") + ": " +
             shapeOf(turned) + end(tile.tile.getDefiningOp());
    }
    Operation *place = tile.tile.getDefiningOp();
    if (!place)
      place = cast<BlockArgument>(tile.tile).getOwner()->getParentOp();
    return tile.id + "  computed" + (sources.empty() ? "" : " from ") +
           llvm::join(sources, " and ") + ", " + llvm::join(uses, " and ") + ": " +
           shapeOf(tile.tile.getType()) + end(place);
  }

private:
  std::string idOf(Value operand) const {
    if (const Stream *stream = facts.streamOf(operand))
      return stream->id;
    return facts.computedOf(operand)->id;
  }
  std::string idOf(tile::DotOp dot) const {
    return llvm::find_if(facts.products, [&](const ProductFact &fact) { return fact.dot == dot; })
        ->id;
  }

  /// The streams and products that a tile is computed from, in the order of their numbers.
  std::vector<std::string> sourcesOf(Value tile) const {
    llvm::SmallSetVector<Value, 16> open;
    open.insert(tile);
    for (size_t at = 0; at < open.size(); ++at)
      if (!open[at].getDefiningOp<tile::DotOp>())
        for (Value value : stepBack(open[at]))
          open.insert(value);
    std::vector<std::string> ids;
    for (const Stream &stream : facts.streams)
      if (open.contains(stream.load->getResult(0)))
        ids.push_back(stream.id);
    for (const ProductFact &product : facts.products)
      if (open.contains(product.dot->getResult(0)))
        ids.push_back(product.id);
    return ids;
  }

  std::string end(Operation *op) const { return placeOf(op) + (withSource ? lineOf(op) : ""); }
};

} // namespace

static std::string textOf(const KernelFacts &facts, bool withSource) {
  Writer writer{facts, withSource};
  std::vector<std::string> lines;
  for (Stream stream : facts.streams)
    lines.push_back(writer.access(stream.id, "loads", stream.load, stream.load.getView(),
                                  stream.load.getResult().getType()) +
                    detailsOf(stream));
  for (const ProductFact &product : facts.products)
    lines.push_back(writer.product(product) + detailsOf(product));
  for (const ComputedTile &tile : facts.tiles)
    lines.push_back(writer.computed(tile));
  for (const LoopFact &loop : facts.loops)
    lines.push_back(writer.loop(loop) + detailsOf(loop, withSource));
  for (const End &end : facts.ends)
    lines.push_back(writer.access(end.id, end.adds() ? "adds to" : "stores", end.op, end.view,
                                  end.tile.getType()) +
                    (withSource ? detailsOf(end) : ""));
  std::string text;
  for (const std::string &line : lines)
    text += "  " + line + "\n";
  return text;
}

std::string KernelFacts::str(bool withSource) const { return textOf(*this, withSource); }

std::string KernelFacts::hash() const {
  return hashBytes(str(/*withSource=*/false)).hex().substr(0, 8);
}

} // namespace tilewright::passes
