#ifndef PUSH_BUILD_STAMP_H
#define PUSH_BUILD_STAMP_H

/* The text "pushmta-commit=", followed by the commit. */
extern const char push_build_stamp[64];

#endif
