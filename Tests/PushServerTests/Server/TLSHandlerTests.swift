import CProbeShims
import NIOCore
import NIOEmbedded
import PushCrypto
import PushServer
import TestTLS
import Testing

/// Tests with clients that continue after the end of their input, or that leave a handshake incomplete.
@Suite struct TLSHandlerTests {
    /// A connection after the handshake.
    private final class Connection {
        let channel = EmbeddedChannel()
        let client = MemoryTLSClient()
        let later = LaterHandler()

        init() throws {
            let identity = TestAuthority().issue()
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                TLSHandler(try ServerIdentity(chain: identity.certificatePEM, key: identity.keyPEM)))
            try pipeline.addHandler(later)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            var bytes = client.shakeHands()
            while !bytes.isEmpty {
                try receive(bytes)
                bytes = client.shakeHands(try sent())
            }
            #expect(client.isEstablished && channel.isActive)
        }

        /// Passes bytes from the client to the server.
        func receive(_ bytes: [UInt8]) throws {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            channel.embeddedEventLoop.run()
        }

        /// Returns the bytes that the server has sent.
        func sent() throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
            return bytes
        }

        func end() {
            channel.close(promise: nil)
            channel.embeddedEventLoop.run()
        }
    }

    private final class LaterHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private(set) var isInputClosed = false

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { isInputClosed = true }
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// The test runs in a separate process, because other tests allocate memory too.
    @Test func `bytes after the client's close_notify are dropped, and answers still reach the client`() async
    {
        await #expect(processExitsWith: .success) { try TLSHandlerTests.continueAfterTheEnd() }
    }

    private static func continueAfterTheEnd() throws {
        let connection = try Connection()
        defer { connection.end() }
        try connection.receive(connection.client.closeNotify())
        #expect(connection.later.isInputClosed)
        let more = [UInt8](repeating: 7, count: 1_000)
        try connection.receive(more)
        let before = push_probe_allocated()
        for _ in 0..<64 { try connection.receive(more) }
        #expect(push_probe_allocated() < before + 32_000)
        try connection.channel.writeOutbound(ByteBuffer(string: "answer"))
        #expect(try connection.client.read(connection.sent()) == Array("answer".utf8))
        #expect(connection.channel.isActive)
    }

    @Test(arguments: [false, true])
    func `a key update that is incomplete ends the connection`(isComplete: Bool) throws {
        let connection = try Connection()
        defer { connection.end() }
        let update = connection.client.dividedKeyUpdate()
        try connection.receive(update.first + (isComplete ? update.second : []))
        #expect(connection.channel.isActive == isComplete)
    }
}
