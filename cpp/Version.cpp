//===- Version.cpp - Which Tilewright this is -----------------------------===//

#include "tilewright/Version.h"

const char *tilewright::version() { return TILEWRIGHT_VERSION; }

const char *tilewright::commit() {
  return
#include "cpp/Commit.inc"
      ;
}
