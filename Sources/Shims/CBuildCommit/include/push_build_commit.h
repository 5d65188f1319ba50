#ifndef PUSH_BUILD_COMMIT_H
#define PUSH_BUILD_COMMIT_H

/* The commit that this was built from, in short; empty where the build was not told. */
const char * _Nonnull push_build_commit(void);

#endif
