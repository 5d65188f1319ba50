import Testing
import pushsink

@Suite struct HTTP1Scenarios {
    @Test func `a connection stays open for the next request`() throws {
        let sink = try GoogleSink()
        let bearer = try sink.bearer()
        let url = "https://localhost:\(sink.fcm)\(sink.path)"
        let answer = try sink.post(GoogleSink.message("t"), authorization: bearer, ["--http1.1", url, url])
        #expect(answer.status == 200)
        let (fcm, _) = try sink.stop()
        #expect(fcm.messages == 3 && fcm.connections == 1 && fcm.parallelStreams == 1)
    }

    @Test func `a chunked body and an announced body are accepted`() throws {
        let sink = try GoogleSink()
        let bearer = try sink.bearer()
        for field in ["Transfer-Encoding: chunked", "Expect: 100-continue"] {
            let answer = try sink.post(
                GoogleSink.message("t"), authorization: bearer, ["--http1.1", "-H", field])
            #expect(answer.status == 200, "\(field)")
        }
        _ = try sink.stop()
    }

    @Test func `an oversized body is refused before it is read`() throws {
        let sink = try GoogleSink()
        let file = "\(sink.sink.directory)/large"
        try Files.replace(file, with: Array(repeating: 0x20, count: 2_000_000))
        let answer = try sink.post("@\(file)", authorization: "Bearer x", ["--http1.1"])
        #expect(answer.status == 413)
        let (fcm, _) = try sink.stop()
        #expect(fcm.protocolErrors == 1 && fcm.requests == 0)
    }
}
