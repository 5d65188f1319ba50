#ifndef PUSH_SINK_H
#define PUSH_SINK_H

#endif
