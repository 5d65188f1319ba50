#ifndef PUSH_PROCESS_H
#define PUSH_PROCESS_H

#endif
