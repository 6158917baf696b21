#include "tools/inspector/Structure.h"

#include "passes/analysis/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::inspector;
using llvm::json::Array;
using llvm::json::Object;

static std::optional<FileLineColLoc> placeIn(Location location, llvm::StringRef file) {
  std::optional<FileLineColLoc> found;
  location->walk([&](Location part) {
    auto at = dyn_cast<FileLineColLoc>(part);
    if (!at || at.getFilename() != file)
      return WalkResult::advance();
    found = at;
    return WalkResult::interrupt();
  });
  return found;
}

int64_t inspector::lineOf(Location location, llvm::StringRef file) {
  auto place = placeIn(location, file);
  return place ? place->getLine() : 0;
}

std::string inspector::tensorOf(Operation *op, func::FuncOp kernel) {
  for (Value operand : op->getOperands()) {
    auto view = dyn_cast<BlockArgument>(operand);
    if (!view || !isa<tile::ViewType>(view.getType()) ||
        view.getOwner() != &kernel.getBody().front())
      continue;
    if (auto name = kernel.getArgAttrOfType<StringAttr>(view.getArgNumber(), "tile.name"))
      return name.str();
  }
  return "";
}

static std::string textOf(RankedTensorType tile) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t extent : tile.getShape())
    stream << extent << "x";
  stream << tile.getElementType();
  return text;
}

//===- Roles ----------------------------------------------------------------------------------===//

namespace {

/// The steps of a role that other roles, or asynchronous products, have to do with.
class Steps {
public:
  Steps(func::FuncOp kernel, llvm::StringRef file) : kernel(kernel), file(file) {
    kernel.walk([&](cta::ChannelOp channel) { numbers[channel] = numbers.size(); });
  }

  Array of(Block &block) {
    steps = Array();
    add(block, 0);
    return std::move(steps);
  }

private:
  void add(Block &block, int64_t depth) {
    for (Operation &op : block) {
      add(&op, depth);
      bool isLoop = isa<scf::ForOp, scf::WhileOp, cta::TilesOp>(op);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          add(inner, depth + isLoop);
    }
  }

  void add(Operation *op, int64_t depth) {
    llvm::StringRef kind =
        llvm::TypeSwitch<Operation *, llvm::StringRef>(op)
            .Case<scf::ForOp, scf::WhileOp, cta::TilesOp>([](Operation *) { return "loop"; })
            .Case([](cta::MmaOp) { return "product"; })
            .Case<cta::AcquireOp, cta::CopyOp, cta::LoadOp, cta::PutOp, cta::CommitOp, cta::WaitOp,
                  cta::GetOp, cta::ReleaseOp, cta::AwaitOp, cta::EnterOp, cta::LeaveOp,
                  cta::StoreOp, tile::StoreOp, tile::LoadOp>(
                [](Operation *op) { return op->getName().stripDialect(); })
            .Default([](Operation *) { return ""; });
    if (kind.empty())
      return;
    // Copies: the context goes, and what is only referred to with it.
    Object step{
        {"kind", kind.str()}, {"depth", depth}, {"text", op->getName().getStringRef().str()}};
    if (auto place = placeIn(op->getLoc(), file)) {
      step["line"] = place->getLine();
      step["column"] = place->getColumn();
    }
    if (auto id = op->getAttrOfType<StringAttr>("plan.id"))
      step["id"] = id.str();
    if (std::string tensor = tensorOf(op, kernel); !tensor.empty())
      step["tensor"] = tensor;
    addChannels(op, step);
    steps.push_back(std::move(step));
  }

  /// The channels that an op uses: one, or the operands of a product.
  void addChannels(Operation *op, Object &step) {
    Array used;
    for (Value operand : op->getOperands())
      if (isa<cta::ChannelType, cta::SlotType>(operand.getType()))
        if (cta::ChannelOp channel = channelOf(operand))
          used.push_back(numbers.lookup(channel));
    if (isa<cta::MmaOp>(op))
      step["operands"] = std::move(used);
    else if (!used.empty())
      step["channel"] = used.front();
  }

  static cta::ChannelOp channelOf(Value value) {
    if (auto channel = value.getDefiningOp<cta::ChannelOp>())
      return channel;
    return isa<cta::SlotType>(value.getType()) ? cta::channelOf(value) : cta::ChannelOp();
  }

  func::FuncOp kernel;
  llvm::StringRef file;
  llvm::DenseMap<Operation *, int64_t> numbers;
  Array steps;
};

} // namespace

Array inspector::rolesJson(func::FuncOp kernel, llvm::StringRef file) {
  Steps steps(kernel, file);
  Array result;
  for (auto role : kernel.getOps<cta::RoleOp>()) {
    Object entry{{"name", role.getName().str()},
                 {"warps", int64_t(role.getWarps())},
                 {"line", lineOf(role.getLoc(), file)},
                 {"steps", steps.of(role.getBody().front())}};
    if (auto registers = role.getRegisters())
      entry["registers"] = int64_t(*registers);
    result.push_back(std::move(entry));
  }
  if (result.empty())
    result.push_back(Object{{"name", "all warps"},
                            {"warps", cta::warpsOf(kernel)},
                            {"line", lineOf(kernel.getLoc(), file)},
                            {"steps", steps.of(kernel.getBody().front())}});
  return result;
}

//===- Channels and shared memory -------------------------------------------------------------===//

Object inspector::placeJson(cta::ChannelOp channel) {
  RankedTensorType tile = cta::tileOf(channel.getType());
  auto bits = int64_t(tile.getElementTypeBitWidth());
  int64_t columns = tile.getShape().back();
  Object place{{"rows", tile.getNumElements() / columns}, {"columns", columns}, {"bits", bits}};
  if (channel.hasPanelLayout()) {
    PanelLayout panels = passes::panelsOf(channel);
    place["panel"] = panels.swizzle;
    place["rows"] = panels.rows;
  } else if (auto shared = channel.getShared()) {
    place["pitch"] = shared->getPitch();
    place["swizzle"] = Array{shared->getBits(), shared->getShift()};
  }
  return place;
}

/// The name of the value that a channel carries, or of the tensor that is copied to it.
static std::string nameOf(cta::ChannelOp channel, func::FuncOp kernel) {
  std::string name = cta::nameOf(channel, "");
  kernel.walk([&](cta::CopyOp copy) {
    if (name.empty() && cta::channelOf(copy.getSlot()) == channel)
      name = tensorOf(copy, kernel);
  });
  return name.empty() ? "channel" : name;
}

Array inspector::channelsJson(func::FuncOp kernel, llvm::StringRef file) {
  Array result;
  kernel.walk([&](cta::ChannelOp channel) {
    cta::ChannelType type = channel.getType();
    Object entry{{"name", nameOf(channel, kernel)},
                 {"kind", cta::stringifyChannelKind(channel.getKind()).str()},
                 {"slots", type.getDepth()},
                 {"slot_bytes", passes::slotBytes(channel)},
                 {"tile", textOf(type.getTile())},
                 {"line", lineOf(channel.getLoc(), file)},
                 {"place", placeJson(channel)}};
    if (auto id = channel->getAttrOfType<StringAttr>("plan.id"))
      entry["id"] = id.str();
    if (auto axis = channel.getMulticast())
      entry["multicast"] = int64_t(*axis);
    if (auto plan = channel.getPlan()) {
      entry["offset"] = plan->getOffset();
      entry["stride"] = plan->getStride();
    }
    result.push_back(std::move(entry));
  });
  return result;
}

Array inspector::sharedJson(func::FuncOp kernel, const driver::Outline &outline) {
  std::map<int64_t, int64_t> slots; // channels by address
  int64_t count = 0;
  kernel.walk([&](cta::ChannelOp channel) {
    if (auto plan = channel.getPlan())
      slots.try_emplace(plan->getOffset(), count);
    ++count;
  });
  Array result;
  for (const driver::SharedOutline &part : outline.shared) {
    Object entry{{"offset", part.offset}, {"bytes", part.bytes}, {"contents", part.contents}};
    bool isBarrier = llvm::StringRef(part.contents).contains("barriers");
    auto channel = slots.find(part.offset);
    bool isSlots =
        !isBarrier && channel != slots.end() && llvm::StringRef(part.contents).contains("slot");
    entry["kind"] = isBarrier ? "barriers" : isSlots ? "slots" : "scratch";
    if (isSlots)
      entry["channel"] = channel->second;
    result.push_back(std::move(entry));
  }
  return result;
}

//===- Layouts --------------------------------------------------------------------------------===//

static Array digitsJson(llvm::ArrayRef<Digit> digits) {
  Array result;
  for (const Digit &digit : digits)
    result.push_back(Array{digit.size, digit.dim, digit.stride});
  return result;
}

Object inspector::layoutJson(const Layout &layout) {
  return Object{{"registers", digitsJson(layout.digits(Level::Register))},
                {"lanes", digitsJson(layout.digits(Level::Lane))},
                {"warps", digitsJson(layout.digits(Level::Warp))}};
}

Array inspector::layoutsJson(func::FuncOp kernel, llvm::StringRef file) {
  struct Uses {
    llvm::SetVector<int64_t> lines;
    std::set<std::string> names;
  };
  llvm::MapVector<Type, Uses> tiles;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      auto tile = dyn_cast<RankedTensorType>(result.getType());
      if (!tile || !isa_and_nonnull<cta::LayoutAttr>(tile.getEncoding()))
        continue;
      Uses &uses = tiles[tile];
      if (int64_t line = lineOf(op->getLoc(), file))
        uses.lines.insert(line);
      if (std::string name = cta::nameOf(result, ""); !name.empty())
        uses.names.insert(name);
    }
  });
  Array result;
  for (auto &[type, uses] : tiles) {
    auto tile = cast<RankedTensorType>(type);
    Object entry = layoutJson(cta::layoutOf(tile));
    entry["shape"] = Array(tile.getShape());
    std::string element;
    llvm::raw_string_ostream(element) << tile.getElementType();
    entry["element"] = element;
    entry["bits"] = int64_t(tile.getElementTypeBitWidth());
    entry["lines"] = Array(uses.lines.getArrayRef());
    entry["values"] = Array(uses.names);
    result.push_back(std::move(entry));
  }
  return result;
}
