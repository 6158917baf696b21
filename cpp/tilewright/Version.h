//===- Version.h - Which Tilewright this is ---------------------*- C++ -*-===//

#pragma once

namespace tilewright {

/// "0.1.0".
const char *version();

/// The commit that the library was built from; empty where that is not known.
const char *commit();

} // namespace tilewright
