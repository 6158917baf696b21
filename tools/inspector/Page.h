//===- Page.h - the inspector's page ----------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_INSPECTOR_PAGE_H
#define TILEWRIGHT_TOOLS_INSPECTOR_PAGE_H

#include "llvm/Support/JSON.h"

#include <string>

namespace tilewright::inspector {

/// JSON as it may stand in an HTML element: without `<`, so that no text can end the element.
std::string embeddable(llvm::json::Value data);

/// One HTML file that shows the data of an inspection (docs/inspector.md).
std::string pageOf(llvm::json::Value data);

} // namespace tilewright::inspector

#endif
