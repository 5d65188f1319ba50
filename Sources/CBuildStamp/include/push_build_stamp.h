#ifndef PUSH_BUILD_STAMP_H
#define PUSH_BUILD_STAMP_H

extern const char push_build_stamp[];

#endif
