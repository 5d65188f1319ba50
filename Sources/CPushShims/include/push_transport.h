#ifndef PUSH_TRANSPORT_H
#define PUSH_TRANSPORT_H

#endif
