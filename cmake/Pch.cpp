// Anchor of the precompiled header that the compiler libraries share.
