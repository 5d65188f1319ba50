import PushTransport
import TestTLS
import Testing

extension TransportTests {
    /// Tests of numbers that a peer chooses: each number is limited, and only a value within the limit is
    /// used.
    @Suite struct UntrustedNumbersTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        // MARK: SETTINGS

        @Test(arguments: [
            (0 as UInt32, 0), (1, 1), (999, 999), (1_000, 1_000), (1 << 31 - 1, 1_000), (1 << 31, 1_000),
            (.max, 1_000),
        ])
        func `a peer's stream limit counts only up to our own limit`(said: UInt32, free: Int) {
            var allowance = StreamAllowance(most: 1_000, initial: nil)
            allowance.settings(maximumStreams: said)
            #expect(allowance.free(inFlight: 0) == free)
            #expect(allowance.free(inFlight: 2_000) == 0)
        }

        /// Returns a SETTINGS frame with one value, which a library would not write. Values according to RFC
        /// 9113, 6.5.2: 1 is the size of the header table, 4 the initial window of a stream, and 5 the size
        /// of a frame.
        private static func frame(_ identifier: UInt8, _ value: UInt32) -> [UInt8] {
            [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, identifier]
                + (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }

        /// Sends a request. The peer calls `say` before it answers.
        private func connection(
            receiving say: @escaping @Sendable (PeerHTTP2) -> Void,
            _ check: (_ connection: HTTP2Connection, _ fixture: Testbed) throws -> Void
        ) throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(
                    HTTP2Script { connection, request in
                        if request.path == "/3/device/0" { say(connection) }
                        connection.answer(request.stream, 200)
                    })
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                push.submit(0, to: connection)
                connection.flush()
                try check(connection, fixture)
            }
        }

        @Test(arguments: [
            (4 as UInt8, 1 << 31 as UInt32), (4, .max), (5, 0), (5, 16_383), (5, 1 << 24), (5, .max),
        ])
        func `windows and frame sizes that RFC 9113 forbids end the connection`(
            identifier: UInt8, value: UInt32
        ) throws {
            let bytes = Self.frame(identifier, value)
            try connection(receiving: { $0.channel.send(bytes) }) { connection, fixture in
                try fixture.until("it is given up") { fixture.recorder.closed != nil }
                #expect(fixture.recorder.closed != .local && connection.freeStreams == 0)
            }
        }

        @Test(arguments: [
            (1 as UInt8, 0 as UInt32), (1, .max), (4, 1 << 31 - 1), (5, 16_384), (5, 1 << 24 - 1),
        ])
        func `the largest and smallest allowed values change nothing`(identifier: UInt8, value: UInt32)
            throws
        {
            try connection(receiving: { $0.settings(identifier, value) }) { connection, fixture in
                try fixture.until("the first is answered") { fixture.recorder.answered200 == 1 }
                push.submit(1, to: connection)
                connection.flush()
                try fixture.until("the second is answered") { fixture.recorder.answered200 == 2 }
                #expect(fixture.recorder.closed == nil)
                connection.close()
            }
        }

        // MARK: Content-Length

        @Test(arguments: [
            "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "4294967296", "-1",
            "0x0b", "eleven", "11, 12", "",
        ])
        func `an answer is stored up to the limit, whatever length it announces`(length: String) throws {
            let bound = 1_000
            var result: HTTPResult?
            try Testbed.run { fixture in
                let peer = fixture.peer { options in
                    options.protocolName = nil
                    options.isPlain = true
                    options.kind = .bytes { channel in
                        guard String(decoding: channel.received, as: UTF8.self).hasSuffix("\r\n\r\n") else {
                            return
                        }
                        channel.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
                        channel.send([UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
                        channel.close()
                    }
                }
                var request = HTTPRequest("GET", fixture.endpoint(peer), path: "/", isSecure: false)
                request.maximumBody = bound
                try HTTPExchange(loop: fixture.loop, request: request) { result = $0 }
                try fixture.until("it is completed") { result != nil }
            }
            switch try #require(result) {
            case .response(let response): #expect(response.body.count <= bound)
            case .failure(let failure): #expect(failure.kind == .undecided)
            }
        }

        // MARK: Times of certificates

        @Test func `the times in a certificate are parsed exactly, from long before 1970 to the year 9999`()
            throws
        {
            let authority = TestAuthority()
            // Days relative to now: one validity ends in the year 9999, and the other validity begins and
            // ends before 1970.
            let now = try Certificate(pem: authority.issue(days: 0...1).certificatePEM).notBefore
            let toTheEnd = (253_370_764_800 - now) / 86_400 + 30
            for days in [-1...Int(toTheEnd), -30_000...(-25_000)] {
                let certificate = try Certificate(pem: authority.issue(days: days).certificatePEM)
                // Some seconds may have passed since then.
                let start = now + Int64(days.lowerBound) * 86_400
                let end = now + Int64(days.upperBound) * 86_400
                #expect((start...start + 600).contains(certificate.notBefore), "\(certificate.notBefore)")
                #expect((end...end + 600).contains(certificate.notAfter), "\(certificate.notAfter)")
            }
        }
    }
}
