internal import CCryptoShims

/// The reason why a server cannot use a certificate with a key.
package enum ServerIdentityError: Error, Equatable {
    case noCertificate, noKey, otherKey
    /// OpenSSL does not accept the certificate or its key, e.g. because the key is too short.
    case refused(reason: String)
    /// OpenSSL does not accept another certificate of the chain.
    case refusedChain(reason: String)
}

/// A server's certificate with its chain and its private key.
@safe
package final class ServerIdentity: @unchecked Sendable {
    /// Never changed, and OpenSSL locks what its sessions share.
    fileprivate let server: OpaquePointer
    /// The end of the certificate's validity, in seconds since 1970.
    package let notAfter: Int64

    /// - Parameters:
    ///   - chain: Certificates in PEM. The first is the server's own.
    ///   - key: A private key in PEM, without a password.
    package init(chain: [UInt8], key: [UInt8]) throws(ServerIdentityError) {
        var server: OpaquePointer?
        var reason: UnsafePointer<CChar>?
        var notAfter: Int64 = 0
        let status = unsafe push_tls_server_new(
            chain, chain.count, key, key.count, &server, &notAfter, &reason)
        guard status == PUSH_TLS_OK, let server = unsafe server else {
            let reason = unsafe reason.map { unsafe String(cString: $0) } ?? "no reason is known"
            switch status {
            case PUSH_TLS_NO_CERTIFICATE: throw .noCertificate
            case PUSH_TLS_NO_KEY: throw .noKey
            case PUSH_TLS_OTHER_KEY: throw .otherKey
            case PUSH_TLS_REFUSED_CHAIN: throw .refusedChain(reason: reason)
            default: throw .refused(reason: reason)
            }
        }
        unsafe self.server = server
        self.notAfter = notAfter
    }

    deinit { unsafe push_tls_server_free(server) }
}

/// The server's side of one TLS connection (TLS 1.2 or 1.3). It opens no connection: the caller passes the
/// bytes that it has received, and sends the bytes that it takes.
@safe
package final class ServerTLSSession {
    package enum Progress: Equatable {
        /// Decrypted bytes were written to the start of the buffer.
        case bytes(Int)
        /// More bytes from the client are needed.
        case waits
        /// The client sends no more bytes.
        case closed
        /// The handshake failed, or the client broke the protocol.
        case failed
    }

    private let session: OpaquePointer

    /// Returns `nil` if memory is exhausted.
    package init?(_ identity: ServerIdentity) {
        guard let session = unsafe push_tls_session_new(identity.server) else { return nil }
        unsafe self.session = session
    }

    deinit { unsafe push_tls_session_free(session) }

    /// Adds bytes from the client.
    /// - Returns: `false` if memory is exhausted.
    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe push_tls_session_receive(session, bytes.baseAddress, bytes.count)
    }

    /// Performs the handshake as far as possible, and decrypts as many bytes as the buffer has room for.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        guard let start = buffer.baseAddress else { return .waits }
        var count = 0
        return switch unsafe push_tls_session_read(session, start, buffer.count, &count) {
        case PUSH_TLS_BYTES: .bytes(count)
        case PUSH_TLS_WAITS: .waits
        case PUSH_TLS_CLOSED: .closed
        default: .failed
        }
    }

    /// Whether bytes can be written: the handshake has ended, and no later message of the handshake protocol
    /// is incomplete.
    package var isEstablished: Bool { unsafe push_tls_session_is_established(session) }

    /// Encrypts bytes for the client.
    /// - Returns: `false` if the session has failed or was closed.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe push_tls_session_write(session, bytes.baseAddress, bytes.count)
    }

    /// Informs the client that no more bytes follow, if the handshake has ended.
    package func close() { unsafe push_tls_session_close(session) }

    /// The number of encrypted bytes to be sent to the client.
    package var pendingBytes: Int { unsafe push_tls_session_pending(session) }

    /// Moves encrypted bytes to the start of the buffer.
    /// - Returns: Their number.
    package func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        return unsafe push_tls_session_take(session, start, buffer.count)
    }
}
