import PushTransport
import Testing

@Suite struct ResponseBlockTests {
    private func block(_ fields: [(String, String)], isTrailer: Bool = false) -> ResponseBlock {
        var block = ResponseBlock(isTrailer: isTrailer)
        for (name, value) in fields {
            let (name, value) = (Array(name.utf8), Array(value.utf8))
            name.withUnsafeBufferPointer { name in
                value.withUnsafeBufferPointer { _ = block.take(name, $0) }
            }
        }
        return block
    }

    @Test func `an answer has a status and may have a length`() {
        let answer = block([
            (":status", "200"), ("apns-id", "x"), ("content-length", "17"), ("te", "trailers"),
        ])
        #expect(answer.isSound(endsStream: false) && answer.isSound(endsStream: true))
        #expect(answer.status == 200 && answer.bodyLength == 17 && !answer.isInterim)
        for status in ["204", "304"] { #expect(block([(":status", status)]).bodyLength == 0) }
    }

    @Test(arguments: [
        [], [("apns-id", "x")], [("apns-id", "x"), (":status", "200")],
        [(":status", "200"), (":status", "200")], [(":status", "20")], [(":status", "2000")],
        [(":status", "2x0")], [(":status", "099")], [(":status", "101")], [(":status", "")],
        [(":path", "/"), (":status", "200")], [(":status", "200"), (":method", "GET")],
        [(":status", "200"), ("Apns-Id", "x")], [(":status", "200"), ("connection", "close")],
        [(":status", "200"), ("transfer-encoding", "chunked")], [(":status", "200"), ("upgrade", "h2c")],
        [(":status", "200"), ("keep-alive", "5")], [(":status", "200"), ("proxy-connection", "x")],
        [(":status", "200"), ("te", "gzip")], [(":status", "200"), ("content-length", "")],
        [(":status", "200"), ("content-length", "-1")], [(":status", "200"), ("content-length", "1, 1")],
        [(":status", "200"), ("content-length", "1"), ("content-length", "1")],
        [(":status", "200"), ("content-length", "9999999999999999999")],
        [(":status", "204"), ("content-length", "1")], [(":status", "103"), ("content-length", "1")],
    ])
    func `a block that RFC 9113 calls malformed is reported as malformed`(fields: [(String, String)]) {
        #expect(!block(fields).isSound(endsStream: false))
    }

    @Test func `an interim answer does not end the stream, but trailers do`() {
        let interim = block([(":status", "103"), ("link", "x")])
        #expect(interim.isInterim && interim.isSound(endsStream: false) && !interim.isSound(endsStream: true))
        let trailers = block([("grpc-status", "0")], isTrailer: true)
        #expect(trailers.isSound(endsStream: true) && !trailers.isSound(endsStream: false))
        #expect(!block([(":status", "200")], isTrailer: true).isSound(endsStream: true))
    }
}
