internal import PushTransport

/// The certificate of a server on this machine, and the certificate's key.
package enum ServerCertificate {
    /// - Throws: A description of what is wrong with the certificate or the key. It follows a file's name:
    ///   "FILE …".
    package static func check(chainPEM: [UInt8], keyPEM: [UInt8]) throws(ConnectorError) {
        do throws(TransportError) { try Certificate.check(chainPEM: chainPEM, keyPEM: keyPEM) } catch {
            throw ConnectorError("\(error)")
        }
    }
}
