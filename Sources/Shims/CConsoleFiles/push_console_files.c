#include "push_console_files.h"

/* The compiler supports #embed of C23 in all versions of C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char css[] = {
#embed "files/console.css"
};
static const unsigned char js[] = {
#embed "files/console.js"
};

struct push_console_file push_console_css(void) { return (struct push_console_file){css, sizeof css}; }
struct push_console_file push_console_js(void) { return (struct push_console_file){js, sizeof js}; }
