import PushCrypto
import TestTLS
import Testing

@Suite struct ServerTLSTests {
    private let client = MemoryTLSClient()
    private let server: ServerTLSSession

    init() throws {
        let identity = TestAuthority().issue()
        server = try #require(
            ServerTLSSession(
                try ServerIdentity(chain: identity.certificatePEM, key: identity.keyPEM)))
    }

    /// Passes bytes to the server.
    /// - Returns: The decrypted bytes, and the last result, which is not `bytes`.
    private func pass(_ bytes: [UInt8]) -> (read: [UInt8], ServerTLSSession.Progress) {
        let isReceived = unsafe bytes.withUnsafeBytes { unsafe server.receive($0) }
        #expect(isReceived)
        var read: [UInt8] = []
        while true {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            let progress = unsafe buffer.withUnsafeMutableBytes { unsafe server.read(into: $0) }
            guard case .bytes(let count) = progress else { return (read, progress) }
            read += buffer.prefix(count)
        }
    }

    private func taken() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: server.pendingBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe server.take(into: $0) }
        #expect(count == bytes.count && server.pendingBytes == 0)
        return bytes
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe server.write($0) }
    }

    private func shakeHands() {
        var bytes = client.shakeHands()
        // Two round trips are enough for TLS 1.2 and 1.3.
        for _ in 0..<3 where !client.isEstablished || !server.isEstablished {
            #expect(pass(bytes).1 == .waits)
            bytes = client.shakeHands(taken())
        }
        #expect(client.isEstablished && server.isEstablished)
    }

    @Test func `bytes pass in both directions after the handshake and not before`() {
        let early = Array("early".utf8)
        #expect(!server.isEstablished && !write(early))
        shakeHands()
        let request = Array(repeating: UInt8(ascii: "q"), count: 50_000)
        #expect(pass(client.write(request)) == (request, .waits))
        let answer = Array("answer".utf8)
        #expect(write(answer))
        #expect(client.read(taken()) == answer)
    }

    @Test func `a few key updates are answered, and a flood of them ends the session`() {
        shakeHands()
        #expect(pass(client.keyUpdates(10)).1 == .waits)
        #expect(server.isEstablished && server.pendingBytes > 0)
        _ = client.read(taken())
        #expect(pass(client.write([1, 2, 3])) == ([1, 2, 3], .waits))
        #expect(pass(client.keyUpdates(1_000)).1 == .failed)
    }

    @Test func `a record may arrive in pieces`() {
        shakeHands()
        let updates = client.keyUpdates(1)
        #expect(pass(Array(updates.dropLast())).1 == .waits && server.isEstablished)
        #expect(pass(Array(updates.suffix(1))).1 == .waits && server.isEstablished)
    }

    @Test func `while a key update is incomplete, nothing can be written`() {
        shakeHands()
        let update = client.dividedKeyUpdate()
        #expect(pass(update.first).1 == .waits && !server.isEstablished && !write([1]))
        #expect(pass(update.second).1 == .waits && server.isEstablished && write([1]))
    }

    @Test func `after the client's close_notify, nothing is decrypted, but answers can be written`() {
        shakeHands()
        #expect(pass(client.closeNotify()) == ([], .closed))
        #expect(pass([1, 2, 3]) == ([], .closed))
        #expect(write([4]) && client.read(taken()) == [4])
    }

    @Test func `bytes that were changed on the way end the session`() {
        shakeHands()
        var record = client.write([1, 2, 3])
        record[record.count - 1] ^= 1
        #expect(pass(record) == ([], .failed))
        // The alert.
        #expect(server.pendingBytes > 0)
        #expect(!write([4]))
    }
}
