package import PushConfig
package import PushModel

/// A piece of code for an app, ready to be pasted.
package struct AppSnippet: View, Equatable {
    package static let about = ["language": "objc, swift or kotlin"]

    package var title: String
    package var language: String
    package var code: String
}

/// The code with which an app registers its devices and reports messages, for both SDKs of Campaign and
/// without an SDK.
///
/// This is the only source of these samples: Docs/Send/Apps.md shows them for ``example(_:)``, and a test
/// compiles and runs those in Swift.
package struct AppSnippets {
    /// The URL of the server if `web/@publicUrl` is not set.
    package static let exampleServer = "https://push.example.com"

    private let platform: Platform
    private let key: String
    private let parameters: [ParameterDeclaration]
    /// The URL of the server, with a slash at its end.
    private let server: String
    /// The server without a scheme, as the extensions of Adobe's SDK expect it.
    private let host: String

    package init(_ app: AppView, server: PublicURL?) {
        (platform, key, parameters) = (app.platform, app.integrationKey, app.parameters)
        self.server = (server?.text ?? Self.exampleServer) + "/"
        host = server.map { $0.authority + $0.path } ?? Self.exampleServer.replacing("https://", with: "")
    }

    private init(_ platform: Platform) {
        (self.platform, key) = (platform, "shop-\(platform.rawValue)")
        parameters = [
            ParameterDeclaration(name: "city", kind: .text),
            ParameterDeclaration(name: "points", kind: .number),
        ]
        server = Self.exampleServer + "/"
        host = Self.exampleServer.replacing("https://", with: "")
    }

    /// The samples that the documentation shows.
    package static func example(_ platform: Platform) -> [AppSnippet] { AppSnippets(platform).all }

    package var all: [AppSnippet] {
        switch platform {
        case .ios:
            [
                AppSnippet(title: Self.neolane, language: "objc", code: neolaneForIOS),
                AppSnippet(title: Self.adobe, language: "swift", code: extensionForIOS),
                AppSnippet(title: Self.registration, language: "swift", code: registrationInSwift),
                AppSnippet(title: Self.report, language: "swift", code: reportInSwift),
            ]
        case .android:
            [
                AppSnippet(title: Self.neolane, language: "kotlin", code: neolaneForAndroid),
                AppSnippet(title: Self.adobe, language: "kotlin", code: extensionForAndroid),
                AppSnippet(title: Self.registration, language: "kotlin", code: registrationInKotlin),
                AppSnippet(title: Self.report, language: "kotlin", code: reportInKotlin),
            ]
        default: []
        }
    }

    private static let neolane = "Neolane SDK (Campaign SDK)"
    private static let adobe = "Adobe Experience Platform SDK, extension Campaign Classic"
    private static let registration = "Registration over HTTP, without an SDK"
    private static let report = "Report over HTTP, without an SDK"

    // MARK: iOS

    private var neolaneForIOS: String {
        """
        Neolane_SDK *nl = [Neolane_SDK getInstance];
        [nl setMarketingHost:@\(Self.quoted(server))];
        [nl setTrackingHost:@\(Self.quoted(server))];
        [nl setIntegrationKey:@\(Self.quoted(key))];
        // In application:didRegisterForRemoteNotificationsWithDeviceToken:, with the token in hex:
        [nl registerDevice:tokenString:userKey:\(dictionary("@{", "}") { "@\($0): @\($1)" })];
        // In application:didReceiveRemoteNotification:fetchCompletionHandler:, for a silent push:
        [nl track:userInfo:NL_TRACK_RECEIVE];
        // When the user opens a message:
        [nl track:userInfo:NL_TRACK_CLICK];
        """
    }

    private var extensionForIOS: String {
        """
        MobileCore.updateConfigurationWith(configDict: [
            "campaignclassic.marketingServer": \(Self.quoted(host)),
            "campaignclassic.trackingServer": \(Self.quoted(host)),
            "campaignclassic.ios.integrationKey": \(Self.quoted(key)),
        ])
        // When the app has the token and the user key:
        CampaignClassic.registerDevice(
            token: deviceToken, userKey: userKey,
            additionalParameters: \(dictionary("[", "]", empty: "[:]") { "\($0): \($1)" }))
        // When a message arrives, and when the user opens it:
        CampaignClassic.trackNotificationReceive(withUserInfo: ["_mId": mId, "_dId": dId])
        CampaignClassic.trackNotificationClick(withUserInfo: ["_mId": mId, "_dId": dId])
        """
    }

    private var registrationInSwift: String {
        """
        let server = URL(string: \(Self.quoted(server)))!
        let integrationKey = \(Self.quoted(key))
        let token = deviceToken.map { String(format: "%02x", $0) }.joined()
        let fields = [
            ("registrationToken", token), ("mobileAppUuid", integrationKey), ("userKey", userKey),
            ("deviceImei", deviceId), ("osName", "iOS"),
            ("osLanguage", Locale.preferredLanguages.first ?? ""),
        ]
        // URLComponents would not encode "+", which a form reads as a space.
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let form = fields.map { name, value in
            "\\(name)=\\(value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")"
        }
        var request = URLRequest(url: server.appendingPathComponent("nms/mobile/1/registerIOS.jssp"))
        request.httpMethod = "POST"
        request.setValue(
            "application/x-www-form-urlencoded;charset=UTF-8", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(form.joined(separator: "&").utf8)
        let (body, response) = try await URLSession.shared.data(for: request)
        // If this is false, register again the next time the app starts.
        let isRegistered = (response as? HTTPURLResponse)?.statusCode == 200
        """
    }

    private var reportInSwift: String {
        """
        let trackingServer = URL(string: \(Self.quoted(server)))!
        let id = Int(mId).map { String($0, radix: 16) } ?? mId
        let tag = 2   // 1: the message was received, 2: it was opened
        let report = URL(string: "r/?id=h\\(id),\\(dId),\\(tag)", relativeTo: trackingServer)!
        let (_, answer) = try await URLSession.shared.data(from: report)
        """
    }

    // MARK: Android

    private var neolaneForAndroid: String {
        """
        Neolane.getInstance().setIntegrationKey(\(Self.quotedInKotlin(key)))
        Neolane.getInstance().setMarketingHost(\(Self.quotedInKotlin(server)))
        Neolane.getInstance().setTrackingHost(\(Self.quotedInKotlin(server)))
        // On a background thread, when FCM provides a token or the user changes:
        Neolane.getInstance().registerDevice(token, userKey, \(map), context)
        // When a message arrives, and when the user opens it:
        Neolane.getInstance().notifyReceive(mId.toInt(), dId)
        Neolane.getInstance().notifyOpening(mId.toInt(), dId.toInt())
        """
    }

    private var extensionForAndroid: String {
        """
        MobileCore.updateConfiguration(mapOf(
            "campaignclassic.marketingServer" to \(Self.quotedInKotlin(host)),
            "campaignclassic.trackingServer" to \(Self.quotedInKotlin(host)),
            "campaignclassic.android.integrationKey" to \(Self.quotedInKotlin(key))))
        // When FCM provides a token or the user changes:
        CampaignClassic.registerDevice(token, userKey, \(map))
        // When a message arrives, and when the user opens it:
        CampaignClassic.trackNotificationReceive(mapOf("_mId" to mId, "_dId" to dId))
        CampaignClassic.trackNotificationClick(mapOf("_mId" to mId, "_dId" to dId))
        """
    }

    private var registrationInKotlin: String {
        """
        fun register(token: String, userKey: String, deviceId: String): Boolean {
            val server = \(Self.quotedInKotlin(String(server.dropLast())))
            val integrationKey = \(Self.quotedInKotlin(key))
            val fields = listOf(
                "registrationToken" to token, "mobileAppUuid" to integrationKey, "userKey" to userKey,
                "deviceImei" to deviceId, "osName" to "Android", "osVersion" to Build.VERSION.RELEASE,
                "osLanguage" to Locale.getDefault().toLanguageTag())
            val form = fields.joinToString("&") { (name, value) ->
                "$name=" + URLEncoder.encode(value, "UTF-8")
            }
            val url = URL("$server/nms/mobile/1/registerAndroid.jssp")
            val connection = url.openConnection() as HttpURLConnection
            connection.requestMethod = "POST"
            connection.doOutput = true
            connection.setRequestProperty(
                "Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
            connection.outputStream.use { it.write(form.toByteArray()) }
            // If this is false, register again the next time the app starts.
            return connection.responseCode == 200
        }
        """
    }

    private var reportInKotlin: String {
        """
        val server = \(Self.quotedInKotlin(String(server.dropLast())))
        val id = mId.toLongOrNull()?.toString(16) ?: mId
        val tag = 2   // 1: the message was received, 2: it was opened
        URL("$server/r/?id=h$id,$dId,$tag").openStream().close()
        """
    }

    // MARK: Values

    private var map: String {
        let pairs = parameters.map { "\(Self.quotedInKotlin($0.name)) to \(Self.sample(of: $0.kind))" }
        return pairs.isEmpty ? "emptyMap<String, Any>()" : "mapOf(\(pairs.joined(separator: ", ")))"
    }

    private func dictionary(
        _ start: String, _ end: String, empty: String? = nil,
        _ pair: (_ name: String, _ value: String) -> String
    ) -> String {
        if parameters.isEmpty, let empty { return empty }
        let pairs = parameters.map { pair(Self.quoted($0.name), Self.sample(of: $0.kind)) }
        return start + pairs.joined(separator: ", ") + end
    }

    private static func sample(of kind: ParameterDeclaration.Kind) -> String {
        switch kind {
        case .text: #""value""#
        case .number: "12"
        case .date: #""2026-01-31""#
        case .boolean: #""true""#
        }
    }

    /// Returns a literal of Swift and, after an at sign, of Objective-C.
    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    private static func quotedInKotlin(_ text: String) -> String {
        quoted(text).replacing("$", with: "\\$")
    }
}
