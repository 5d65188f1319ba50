import CPushShims

/// The client's side of a TLS connection over memory, without verification of the server.
package final class MemoryTLSClient {
    private let context = SSL_CTX_new(TLS_client_method())
    private let session: OpaquePointer?

    package init() {
        session = SSL_new(context)
        SSL_set_bio(session, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        SSL_set_connect_state(session)
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
    }

    /// Performs the handshake as far as possible with these bytes from the server.
    package func shakeHands(_ received: [UInt8] = []) -> [UInt8] {
        receive(received)
        SSL_do_handshake(session)
        return sent()
    }

    package var isEstablished: Bool { SSL_is_init_finished(session) == 1 }

    /// Returns the encrypted bytes.
    package func write(_ bytes: [UInt8]) -> [UInt8] {
        SSL_write(session, bytes, Int32(bytes.count))
        return sent()
    }

    /// Returns the decrypted bytes.
    package func read(_ received: [UInt8]) -> [UInt8] {
        receive(received)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = SSL_read(session, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(max(0, Int(count))))
    }

    /// Returns a number of key updates (RFC 8446 §4.6.3). The server must reply to each of them.
    package func keyUpdates(_ count: Int) -> [UInt8] {
        for _ in 0..<count {
            SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED)
            SSL_do_handshake(session)
        }
        return sent()
    }

    /// Returns a key update whose message is divided between two records.
    package func dividedKeyUpdate() -> (first: [UInt8], second: [UInt8]) {
        SSL_ctrl(session, SSL_CTRL_SET_SPLIT_SEND_FRAGMENT, 4, nil)
        let records = keyUpdates(1)
        SSL_ctrl(session, SSL_CTRL_SET_SPLIT_SEND_FRAGMENT, 1 << 14, nil)
        // A record has a header of 5 bytes, which ends with the length of the rest.
        let rest = records.dropFirst(3).prefix(2).reduce(0) { $0 << 8 + Int($1) }
        return (Array(records.prefix(5 + rest)), Array(records.dropFirst(5 + rest)))
    }

    /// Returns the alert that no more bytes follow.
    package func closeNotify() -> [UInt8] {
        SSL_shutdown(session)
        return sent()
    }

    private func receive(_ bytes: [UInt8]) { BIO_write(SSL_get_rbio(session), bytes, Int32(bytes.count)) }

    private func sent() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = BIO_read(SSL_get_wbio(session), &bytes, Int32(bytes.count))
        return Array(bytes.prefix(max(0, Int(count))))
    }
}
