import CPushShims
import PushTransport
import Testing

extension TransportTests {
    @Suite struct HTTP2ConnectionTests {
        let push: PushLike
        init() throws { push = try PushLike() }

        @Test func `an answer carries status, body and the headers that were asked for`() throws {
            try House.run { house in
                var script = HTTP2Script()
                script.onRequest = { connection, request in
                    connection.answer(
                        request.stream, 410, headers: [("apns-id", "x"), ("apns-unique-id", "unique"), ("retry-after", "7")],
                        body: Array("{\"reason\":\"Unregistered\"}".utf8))
                }
                let peer = house.peer(script)
                let connection = try house.connect(to: peer)
                try house.until("it is open") { house.recorder.opened == 1 }
                #expect(push.submit(7, to: connection, body: "hello", collapse: "c"))
                connection.flush()
                try house.until("the answer is there") { !house.recorder.endings.isEmpty }
                #expect(house.recorder.endings == [7: .answered(410, "{\"reason\":\"Unregistered\"}", isComplete: true)])
                #expect(house.recorder.headers[7] == ["unique", "7"])
                let seen = try #require(peer.tally.requests.first)
                #expect(seen.path == "/3/device/7")
                #expect(String(decoding: seen.body, as: UTF8.self) == "hello")
                #expect(seen.fields.map(\.name) == [
                    ":method", ":scheme", ":authority", ":path", "apns-topic", "apns-id", "apns-collapse-id", "authorization",
                ])
                connection.drain()
                try house.until("it is closed") { house.recorder.closed != nil }
                #expect(house.recorder.closed == .local)
            }
        }
    }
}
