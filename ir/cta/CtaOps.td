#ifndef TILEWRIGHT_CTA_OPS
#define TILEWRIGHT_CTA_OPS

include "ir/cta/CtaChannelOps.td"
include "ir/cta/CtaComputeOps.td"
include "ir/cta/CtaOrderOps.td"
include "ir/cta/CtaPlacedOps.td"
include "ir/cta/CtaRoleOps.td"

#endif
