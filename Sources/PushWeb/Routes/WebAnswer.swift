internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// What a request is answered that is answered as a whole.
struct WebAnswer: Sendable {
    let status: HTTPResponse.Status
    let bytes: [UInt8]
    /// But for its length.
    var fields: HTTPFields

    init(_ status: HTTPResponse.Status, _ bytes: [UInt8], _ type: String) {
        self.status = status
        self.bytes = bytes
        fields = [.contentType: type, .cacheControl: "no-store"]
    }

    /// On a connection that has no router in its way.
    var head: HTTPResponse {
        var head = HTTPResponse(status: status, headerFields: fields)
        head.headerFields[.contentLength] = "\(bytes.count)"
        return head
    }

    var response: Response {
        Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Response {
    static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        bytes(status, Array(text.utf8), "text/plain; charset=utf-8")
    }

    static func bytes(_ status: HTTPResponse.Status, _ bytes: [UInt8], _ type: String) -> Response {
        WebAnswer(status, bytes, type).response
    }
}
