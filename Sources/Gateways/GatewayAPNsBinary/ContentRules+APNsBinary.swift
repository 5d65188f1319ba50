internal import GatewayAPNs
internal import GatewayKit
internal import PushModel

extension ContentRules {
    /// The rules for contents in the binary protocol, which supports less than APNs over HTTP/2.
    static let apnsBinary = {
        var rules = ContentRules.apns
        rules.mismatch = { content, app in
            if let mismatch = ContentRules.apns.mismatch(content, app) { return mismatch }
            switch content.ios.type {
            case .alert, .silent:
                guard content.ios.priority == .whenAwake else { return nil }
                return
                    "content.ios.priority: app \(app.name) uses the binary connector, which supports 5 and 10"
            default:
                return
                    "content.ios.type: app \(app.name) uses the binary connector, which supports alert and "
                    + "silent; a \(content.ios.type.rawValue) push requires connector iosHTTP2"
            }
        }
        rules.unsent = { content, _ in
            content.ios.collapseID == nil
                ? [] : ["the binary connector does not support content.ios.collapseId: it is not sent"]
        }
        rules.replacement = { _ in
            var names = ReplacementNames(keys: ["ios.collapseId"])
            names.lack = "its connector's binary protocol does not support a collapse id"
            return names
        }
        return rules
    }()
}
