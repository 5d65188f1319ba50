#ifndef PUSH_CONSOLE_FILES_H
#define PUSH_CONSOLE_FILES_H

#include <stddef.h>

/* The files of the console that browsers fetch, as they are in the folder `files`. Programs contain them, so
   that a program does not depend on files that are installed next to it. */

struct push_console_file {
    const unsigned char *_Nonnull bytes;
    size_t count;
};

struct push_console_file push_console_css(void);
struct push_console_file push_console_js(void);

#endif
