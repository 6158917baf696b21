// What is installed under this name is support/ErrorOr.h itself, which needs no other header of
// ours.
#include "support/ErrorOr.h"
