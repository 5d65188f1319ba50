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
        rules.withoutEffect = { content, app in
            let options = richOptions(of: content, app)
            return ContentRules.apns.withoutEffect(content, app)
                + (options.isEmpty
                    ? []
                    : [
                        """
                        rich notifications and subtitles need connector iosHTTP2; behind a gateway of the \
                        binary protocol, devices may not show \(options.joined(separator: ", "))
                        """
                    ])
        }
        rules.replacement = { _ in
            var names = ReplacementNames(keys: ["ios.collapseId"])
            names.lack = "its connector's binary protocol does not support a collapse id"
            return names
        }
        return rules
    }()

    /// Returns the paths of the options of rich notifications that a content has. Campaign documents these
    /// options for APNs over HTTP/2 only.
    private static func richOptions(of content: Content, _ app: AppSettings) -> [String] {
        let ios = content.ios
        guard ios.type == .alert else { return [] }
        let options: [(String, Bool)] = [
            ("content.ios.subtitle", ios.subtitle != nil || ios.subtitleLocKey != nil),
            ("content.ios.mutableContent", ios.mutableContent),
            ("content.ios.category", ios.category != nil),
            ("variable \(mediaVariable)", hasMedia(content, app)),
        ]
        return options.filter(\.1).map(\.0)
    }
}
