import Testing
import pushload

extension DeviceForm {
    /// Returns the path of a device's report about a notification.
    /// - Parameters:
    ///   - body: The body of the gateway's request, which contains the ids.
    ///   - tag: 1 if the message was received, 2 if it was clicked.
    static func report(about body: String, isAndroid: Bool = false, tag: Int) throws -> String {
        let message = try #require(body.firstMatch(of: /"_mId":"([^"]+)"/)).1
        let delivery = try #require(body.firstMatch(of: /"_dId":"([0-9]+)"/)).1
        let id = reported(String(message), isAndroid: isAndroid)
        return "/r/?id=h\(id),\(String(try #require(Int(delivery)), radix: 16)),\(tag)"
    }
}
