#define _GNU_SOURCE
#include "push_probe.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct push_probe_receiver {
    SSL_CTX *context;
};

struct push_probe_caller {
    int descriptor;
    SSL *ssl;
};

push_probe_receiver *push_probe_receiver_new(const char *identity) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL) return NULL;
    push_probe_receiver *receiver = malloc(sizeof *receiver);
    if (receiver == NULL || SSL_CTX_use_certificate_chain_file(context, identity) != 1
        || SSL_CTX_use_PrivateKey_file(context, identity, SSL_FILETYPE_PEM) != 1) {
        SSL_CTX_free(context);
        free(receiver);
        return NULL;
    }
    receiver->context = context;
    return receiver;
}

push_probe_caller *push_probe_receiver_accept(push_probe_receiver *receiver, int listener) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (descriptor < 0) return NULL;
    push_probe_caller *caller = calloc(1, sizeof *caller);
    if (caller == NULL) {
        close(descriptor);
        return NULL;
    }
    caller->descriptor = descriptor;
    if (receiver != NULL) {
        caller->ssl = SSL_new(receiver->context);
        SSL_set_fd(caller->ssl, descriptor);
    }
    return caller;
}

bool push_probe_caller_greet(push_probe_caller *caller) {
    return caller->ssl == NULL || SSL_accept(caller->ssl) == 1;
}

long push_probe_caller_read(push_probe_caller *caller, uint8_t *bytes, size_t size) {
    if (caller->ssl != NULL) return SSL_read(caller->ssl, bytes, (int)size);
    return recv(caller->descriptor, bytes, size, 0);
}

void push_probe_caller_write(push_probe_caller *caller, const uint8_t *bytes, size_t size) {
    size_t sent = 0;
    while (sent < size) {
        long count = caller->ssl != NULL ? SSL_write(caller->ssl, bytes + sent, (int)(size - sent))
                                         : send(caller->descriptor, bytes + sent, size - sent, MSG_NOSIGNAL);
        if (count <= 0) return;
        sent += (size_t)count;
    }
}

void push_probe_caller_end(push_probe_caller *caller) {
    if (caller->ssl != NULL) {
        SSL_shutdown(caller->ssl);
        SSL_free(caller->ssl);
    }
    close(caller->descriptor);
    free(caller);
}
