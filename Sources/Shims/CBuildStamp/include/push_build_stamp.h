#ifndef PUSH_BUILD_STAMP_H
#define PUSH_BUILD_STAMP_H

/* "pushmta-commit=", and the commit. */
extern const char push_build_stamp[64];

#endif
