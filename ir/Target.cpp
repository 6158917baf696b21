#include "ir/Target.h"

using namespace tilewright;

static const Target kTargets[] = {
#define TARGET(name, smem, smemPerSm, threadsPerSm, features)                                      \
  {#name, smem, smemPerSm, threadsPerSm, uint32_t(features)},
#include "ir/Targets.def"
};

llvm::ArrayRef<Target> tilewright::allTargets() { return kTargets; }

const Target *tilewright::findTarget(llvm::StringRef name) {
  name = name.rtrim("af");
  for (const Target &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}
