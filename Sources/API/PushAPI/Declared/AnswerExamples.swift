internal import FoundationEssentials
internal import PushWire

/// Values for members in example answers. They are used if a sample of the member's type would mean nothing
/// to a reader.
///
/// The values are grouped under names: the name of a type in the API's description or, for the answer of one
/// operation, the operation's identifier. A member without a value is shown with the sample of its type.
package enum AnswerExamples {
    /// The token of an iOS device.
    static let deviceToken = String(repeating: "a1", count: 32)

    /// All values, as one object; `nil` if the text is not JSON.
    private static let all = try? JSONParser.parse(Array((accounts + sending + instance).utf8))

    /// Types that have all members of another type. The values of that type apply to them, too.
    private static let bases = ["AppDetails": "App", "DeliveryDetails": "Delivery"]

    /// The names of all types and operations with values.
    package static var names: [String] {
        guard case .object(let members)? = all else { return [] }
        return members.map(\.key)
    }

    /// Returns the values of a type or an operation, as an object; `nil` if it has none.
    fileprivate static func values(of name: String) -> JSONValue? {
        guard let base = bases[name].flatMap({ all?[$0] }) else { return all?[name] }
        return all?[name].map { base.merged(with: $0) } ?? base
    }

    /// Values for services, for apps and their subscribers, and for the callers of the API.
    private static let accounts = #"""
        {
        "Service": {"label": "Neotrips", "frequencyCap": "3 in 7d", "apps": ["neotrips-ios"]},
        "serviceCreate": {"apps": []},
        "serviceUpdate": {"frequencyCap": null},
        "App": {"label": "Neotrips for iOS", "integrationKey": "com.neotrips.app",
          "formerIntegrationKey": null, "connector": "iosHTTP2",
          "environment": "production", "bundleId": "com.neotrips.app",
          "credential": "token:DEF1234567:ABC1234567", "variables": [{"name": "greeting",
          "default": "Hello", "optional": false}],
          "sounds": [{"internalName": "chime.caf", "label": "Chime"}],
          "categories": [{"internalName": "offer", "label": "Offer with two buttons"}],
          "parameters": [{"name": "city", "kind": "text"}]},
        "AppIcon": {"width": 48, "height": 48, "bytes": 1204},
        "AppChange": {"sandbox": null, "warnings": [], "credentialEndsAt": null, "test": null},
        "appSwitch": {"test": ["the gateway accepted a push to the test token"]},
        "appSwitchBack": {"test": ["the gateway accepted a push to the test token"]},
        "appCreate": {"app": {"label": null, "connector": "stub", "credential": null, "variables": [],
          "sounds": [], "categories": [], "parameters": [], "icon": null}},
        "AppDetails": {"subscribers": 12000, "formerIntegrationKey": "neotrips-2025",
          "integrationKeySharedWith": [], "pairedWith": "neotrips-ios-sandbox", "undeclaredParameters": []},
        "IntegrationKeyState": {"key": "com.neotrips.app", "registrations": 812, "isInUse": true},
        "FormerConnection": {"connector": "ios", "environment": "production",
          "bundleId": "com.neotrips.app",
          "credential": "certificate:5f2b0c9d", "replacedAt": "2026-11-21T09:00:00Z"},
        "AppIntegration": {"marketingUrl": "https://push.example.com/",
          "trackingUrl": "https://push.example.com/", "server": "push.example.com",
          "registrationUrl": "https://push.example.com/nms/mobile/1/registerIOS.jssp",
          "reportUrl": "https://push.example.com/r/", "warnings": []},
        "AppSnippet": {"title": "Neolane SDK (Campaign SDK)", "language": "objc",
          "code": "[nl setIntegrationKey:@\"com.neotrips.app\"];"},
        "ShowAppIconAnswer": {"width": 48, "height": 48, "icon": "iVBORw0KGgo="},
        "DeletedApp": {"subscribers": 12000},
        "TestedApp": {"succeeded": true, "lines": ["the gateway accepted a push to the test token"]},
        "PolledFeedback": {"complete": true, "told": 9, "disabled": 7, "registeredAgain": 1,
          "excludedAlready": 1, "unknown": 0, "trouble": null, "failure": null},
        "Subscriber": {"parameters": {"city": "Rome"}, "state": "valid", "errors": 0, "language": "it",
          "os": "iOS 18.1", "model": "iPhone16,2", "deviceName": "Anna's iPhone", "brand": "Apple",
          "manufacturer": "Apple", "optedOutAt": null, "optedOutBy": null, "recognisedBy": "id",
          "replacement":
          "the device sends an id, so a registration with another token replaces this token",
          "quarantine": null},
        "SubscriberQuarantine": {"source": "answer", "reason": "Unregistered",
          "meaning": "The device token is no longer valid for the topic",
          "section": "/usr/share/doc/pushmta/Docs/Reference/GatewayAnswers.md#apns-unregistered"},
        "SubscriberCounts": {"subscribers": 12000, "valid": 11910, "quarantined": 52, "disabled": 8,
          "optedOut": 30},
        "ChangedSubscribers": {"changed": 2, "unchanged": 0},
        "UnknownKey": {"integrationKey": "com.neotrips.app2", "platform": "ios", "registrations": 17,
          "appsOfOtherPlatforms": []},
        "ErasedSubscribers": {"removed": 2, "remembered": 0, "listed": 1, "unreadableParts": 0},
        "ImportedSubscribers": {"rows": 12000, "inserted": 11900, "updated": 99, "unchanged": 0,
          "repeated": 0,
          "rejected": 1, "quarantined": 0, "optedOut": 0, "waiting": null},
        "ImportedSubscribersReject": {"line": 17, "reason": "the token is missing"},
        "Quarantine": {"state": "quarantined", "errors": 1, "reason": "Unregistered"},
        "QuarantinedDevice": {"state": "quarantined", "changed": true},
        "ReleasedSubscribers": {"forgiven": 0},
        "Storm": {"account": "iosHTTP2 production DEF1234567:ABC1234567", "accepted": 3, "aboutTokens": 997,
          "held": 997},
        "DecidedStorm": {"quarantined": 985, "counted": 0, "ignored": 12, "discarded": 0},
        "stormDiscard": {"quarantined": 0, "ignored": 0, "discarded": 997},
        "ServiceStatisticsAppCounts": {"platform": "ios", "environment": "production", "valid": 11910,
          "quarantined": 52, "disabled": 8, "optedOut": 30},
        "ServiceStatisticsDay": {"day": "2026-11-21", "registered": 130},
        "DeviceCount": {"platform": "ios", "os": "iOS 18.1", "language": "it", "count": 4210},
        "Webhook": {"events": ["failed", "clicked"], "enabled": true, "disabledReason": null,
          "oldSecretUntil": null, "behind": 12, "behindSeconds": 2, "failures": 0, "nextAttemptAt": null,
          "lastAnswer": "200", "batchesTaken": 420, "attemptsFailed": 2, "told": 10341, "dropped": 0},
        "NewWebhookSecret": {"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
        "webhookCreate": {"webhook": {"behind": 0, "behindSeconds": 0, "lastAnswer": null,
          "lastAnswerAt": null,
          "batchesTaken": 0, "attemptsFailed": 0, "told": 0}},
        "webhookUpdate": {"events": ["failed", "received", "clicked"]},
        "webhookRotateSecret": {"webhook": {"oldSecretUntil": "2026-11-22T10:00:00.000Z"}},
        "TestedWebhook": {"taken": true, "answer": "200"},
        "DeletedWebhook": {"behind": 0},
        "AccessToken": {"name": "reporting", "services": ["neotrips"], "revokedAt": null},
        "Person": {"role": "marketer", "services": ["neotrips"], "hasPassword": true},
        "userCreate": {"person": {"name": "anna", "hasPassword": false, "lastLoginAt": null}},
        "userRole": {"role": "viewer"},
        "userReset": {"person": {"name": "anna", "hasPassword": false}},
        "PersonLink": {"link": "/console/welcome?key=mZ0XyI2v9QdWc6nT1rLhB4sKfUe8JgPaOq7VtYx3EwA",
          "expiresAt": "2026-11-22T10:00:00.000Z"},
        "PersonSession": {"id": 12, "address": "192.0.2.7", "endsAt": "2026-11-21T18:00:00.000Z"},
        "EndedSessions": {"ended": 2},
        "AuditLine": {"who": "token campaigns", "action": "service.create", "what": "neotrips"},
        """#

    /// Values for deliveries, messages and templates.
    private static let sending = #"""
        "TemplateSummary": {"service": "neotrips", "version": 3, "versions": 3},
        "Template": {"service": "neotrips", "version": 3, "newestVersion": 3},
        "templateShowVersion": {"version": 1},
        "templateShowShared": {"service": null},
        "templateShowSharedVersion": {"service": null, "version": 1},
        "SavedTemplate": {"service": "neotrips", "changed": true, "warnings": []},
        "templateSaveShared": {"service": null},
        "DeletedTemplate": {"service": "neotrips", "versions": 3},
        "templateDeleteShared": {"service": null},
        "DraftSummary": {"label": "Spring sale", "service": "neotrips", "version": 2,
          "createdBy": "person anna", "changedBy": "person ben"},
        "Draft": {"label": "Spring sale", "service": "neotrips", "version": 2,
          "createdBy": "person anna", "changedBy": "person ben",
          "document": {"label": "Spring sale", "service": "neotrips", "content": {"title": "20% off"}}},
        "draftCreate": {"version": 1, "changedBy": "person anna"},
        "Delivery": {"label": "Spring sale", "state": "finished", "environments": ["production"],
          "finishedAt": "2026-11-21T10:00:06.000Z", "messagesPerSecond": 1990.0, "damage": null, "held": null,
          "pausedUntil": null},
        "DeliveryCounts": {"targeted": 11940, "excluded": 60, "pending": 0, "sent": 11931, "retrying": 0,
          "failed": 9, "cancelled": 0, "received": 8204, "clicked": 611},
        "DeliveryDetails": {"startAt": null, "validitySeconds": 43200, "expiresAt": "2026-11-21T22:00:00Z",
          "priority": "normal", "ratePerSecond": null, "retentionDays": 30,
          "messagesKeptUntil": "2026-12-21T10:00:06Z", "messagesRemovedAt": null, "target": "all",
          "listedRecipients": null, "unknownRecipients": null, "list": null, "content": "20% off",
          "template": null,
          "templateVersion": null, "nextRetryAt": null, "storms": [], "waitingVerdicts": [],
          "waitsFor": [], "releases": [], "possibleDuplicates": null,
          "exclusions": [{"failureReason": "Address in quarantine", "providerReason": "", "count": 60}]},
        "DeliveryOutcomeReason": {"failureReason": "User unknown", "providerReason": "Unregistered",
          "count": 9},
        "DeliveryStatistics": {"label": "Spring sale", "state": "finished", "devices": null,
          "receipts": 8310, "clicks": 702,
          "exclusions": [{"app": "neotrips-ios", "failureType": "Hard",
          "failureReason": "Address in quarantine",
            "providerReason": "", "count": 60}]},
        "DeliveryStatisticsAppCounts": {"platform": "ios", "environment": "production", "sent": 11931,
          "failed": 9, "cancelled": 0, "excluded": 60, "retrying": 0, "received": 8204, "clicked": 611,
          "receipts": 8310, "clicks": 702},
        "DeliveryStatisticsReason": {"failureType": "Hard", "failureReason": "User unknown",
          "providerReason": "Unregistered", "count": 9},
        "DeliveryStatisticsMinute": {"sent": 11931, "failed": 9, "received": 3120, "clicked": 97},
        "MessageLogRow": {"messageId": "1203877432", "state": "sent", "failureType": null,
          "failureReason": null,
          "providerReason": null, "providerId": "6F0D1C5E-9D1B-8A3E-B4DE-1C34F2A9D001",
          "receivedAt": "2026-11-21T10:00:02.310Z", "clickedAt": null, "clicks": 0},
        "SubmittedDelivery": {"environments": ["production"], "warnings": []},
        "DryRun": {"label": "Spring sale", "environments": ["production"], "targeted": 11940, "excluded": 60,
          "tooLarge": 0, "shortened": 0, "missingValues": [], "listedRecipients": null,
          "unknownRecipients": null, "list": null, "estimatedSeconds": 6, "releases": null,
          "lastReleaseAt": null, "warnings": []},
        "DryRunExclusion": {"reason": "in quarantine", "count": 60},
        "DryRunOfApp": {"environment": "production", "targeted": 11940, "excluded": 60, "tooLarge": 0,
          "shortened": 0, "missingValues": [],
          "languages": [], "warnings": [], "messagesPerSecond": 1990.0},
        "Payload": {"payload": "{\"aps\":{\"alert\":{\"title\":\"20% off\"}}}", "bytes": 37,
          "limitBytes": 4096},
        "DeliveryPreview": {"warnings": []},
        "DeliveryPreviewDevice": {"environment": "production", "state": "valid", "language": null,
          "fault": null,
          "headers": {"apns-topic": "com.neotrips.app"}},
        "SubmittedDocument": {"document": {"label": "Spring sale", "service": "neotrips",
          "target": {"all": true}, "content": {"title": "20% off"}}, "recipients": null},
        "DeliveryStorms": {"storms": []},
        "StoppedDelivery": {"state": "stopping", "changed": true, "onTheWire": 120, "cancelled": 2000,
          "toBeCancelled": 7880},
        "RecalledDelivery": {"replacement": 2, "replacementStartAt": null, "warnings": []},
        "PausedDelivery": {"state": "paused", "changed": true, "expiresAt": "2026-11-21T22:00:00Z"},
        "deliveryResume": {"state": "inProgress"},
        "Recount": {"repairedParts": 0, "repairedHits": 0, "problem": null, "state": "finished"},
        "deliveryReleaseAll": {"released": 3},
        "Message": {"messageId": "1203877432", "label": "Spring sale", "state": "sent", "clicks": 2,
          "receivedAt": "2026-11-21T10:00:02.310Z", "clickedAt": "2026-11-21T10:04:40.027Z",
          "failureType": null, "failureReason": null, "providerReason": null,
          "providerId": "6F0D1C5E-9D1B-8A3E-B4DE-1C34F2A9D001", "sendAt": null, "dueAt": null,
          "expiresAt": "2026-11-21T10:10:00Z"},
        "CancelledMessage": {"state": "cancelled", "changed": true},
        """#

    /// Values for the running service, its store and its jobs.
    private static let instance = #"""
        "Job": {"operation": "subscribers.erase", "state": "done", "caller": "token crm", "done": 2,
          "total": 2,
          "remainingSeconds": null, "errors": []},
        "jobCancel": {"state": "running", "isCancelled": true, "done": 1, "result": {"removed": 1},
          "endedAt": null},
        "Status": {"store": "/var/lib/pushmta/pushmta.db", "running": true, "damaged": [],
          "waitingVerdicts": [],
          "hosts": [], "storeTrouble": null,
          "deliveries": [{"id": 2, "label": "Spring sale", "state": "inProgress",
          "environments": ["production"],
            "counts": {"targeted": 11940, "excluded": 60, "pending": 7000, "sent": 4940, "retrying": 0,
              "failed": 0, "cancelled": 0, "received": 310, "clicked": 4},
            "createdAt": "2026-11-21T10:00:00.000Z", "startedAt": "2026-11-21T10:00:00.000Z",
            "finishedAt": null, "messagesPerSecond": 1990.0, "damage": null, "held": null,
            "pausedUntil": null}]},
        "Master": {"pid": 4711, "uptimeSeconds": 86400, "state": "running", "waitsFor": null,
          "ageSeconds": 0.2,
          "operations": 310, "web": "https://10.0.0.7:8443", "webAdmin": "https://127.0.0.1:9090",
          "webConsole": "https://127.0.0.1:9090/console/",
          "unrecorded": 900, "answersPerSecond": 1990.0,
          "waitingRanges": 0, "trouble": null, "alarms": []},
        "MasterChild": {"pid": 4712, "state": "working", "outstanding": 900, "waiting": 0, "inFlight": 800,
          "residentKilobytes": 30720},
        "Account": {"name": "iosHTTP2 production DEF1234567:ABC1234567", "state": "working", "reason": "",
          "mark": "5d1f0c2ab3e4", "secondsUntilProbe": null, "outstanding": 900, "granted": 800,
          "answersPerSecond": 1990.0, "inFlight": 800, "window": 1000, "ratePerSecond": null,
          "children": [4712], "troubles": [], "waitEndsAt": null, "topics": []},
        "Queue": {"account": "iosHTTP2 production DEF1234567:ABC1234567", "mark": "5d1f0c2ab3e4",
          "pending": 7000, "retrying": 0, "paused": 0, "granted": 800, "unrecorded": 900, "oldestSeconds": 3,
          "answersPerSecond": 1990.0},
        "StoreSize": {"bytes": 52428800, "freeBytes": 4194304, "diskFreeBytes": 107374182400,
          "logBytes": 1048576, "bytesPerMillionMessages": 150000000},
        "Host": {"id": "9c2e41d07ab35f68", "state": "leading", "release": "0.8.0", "silentSeconds": 0,
          "parts": 8,
          "unrecorded": 900, "answersPerSecond": 1990, "isThis": true},
        "hostDrain": {"state": "draining"},
        "hostResume": {"state": "standby", "parts": 0, "unrecorded": 0, "answersPerSecond": 0},
        "ResumedAccount": {"account": "iosHTTP2 production DEF1234567:ABC1234567", "changed": true,
          "reason": "the gateway cannot be reached", "otherHosts": 0},
        "AccountExplanation": {"account": "iosHTTP2 production DEF1234567:ABC1234567",
          "mark": "5d1f0c2ab3e4"},
        "AccountExplanationSetting": {"setting": "environment", "value": "production", "why": "the app's"},
        "AccountExplanationCredential": {"ageDays": 12, "notAfter": null, "daysLeft": null, "warning": null},
        "AccountExplanationAnswers": {"hasAccepted": true, "isProved": true, "normalDeadShare": 0.002,
          "accepted": 11931, "aboutTokens": 9, "held": 0, "stormSince": null},
        "AccountExplanationMaster": {"pid": 4711, "state": "running"},
        "AccountExplanationMasterChild": {"pid": 4712, "state": "working", "outstanding": 900},
        "PushExplanation": {"registered": true, "deviceCount": 1, "removedDevices": 0, "targeted": true},
        "PushExplanationDelivery": {"label": "Spring sale", "state": "finished", "target": "all",
          "apps": ["neotrips-ios"], "messagesRemovedAt": null},
        "PushExplanationDevice": {"state": "quarantined"},
        "PushExplanationMessage": {"message": {"state": "failed", "failureType": "Hard",
          "failureReason": "User unknown", "providerReason": "Unregistered", "receivedAt": null,
          "clickedAt": null, "clicks": 0}, "meaning": "The device token is no longer valid for the topic",
          "advice": "No action is needed: the device receives messages again after it has registered",
          "section": "/usr/share/doc/pushmta/Docs/Reference/GatewayAnswers.md#apns-unregistered"},
        "PushExplanationFinding": {"code": "failed",
          "finding": "the message of delivery 1 to a device of app neotrips-ios failed: Unregistered",
          "advice": "No action is needed: the device receives messages again after it has registered"},
        "Setting": {"path": "nmac/@retentionDays", "value": "30", "line": null},
        "ConfigurationReport": {"path": "/etc/pushmta/serverConf.xml", "valid": true},
        "Finding": {"severity": "warning", "line": 12, "column": 5, "message": "unknown attribute"}
        }
        """#
}

extension JSONValue {
    /// Returns this value, merged with the example values of a type or an operation, if it has any.
    func exemplified(by name: String) -> JSONValue {
        AnswerExamples.values(of: name).map { merged(with: $0) } ?? self
    }

    /// Decodes the value as an answer; `nil` if this is not possible.
    func decoded<Answer: Decodable>(as type: Answer.Type) -> Answer? {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return try? JSONDecoder().decode(Answer.self, from: Data(bytes))
    }

    /// Returns this object with the members of another object added. If both have a member, the other
    /// object's value replaces the present one; two objects are merged in the same way.
    func merged(with other: JSONValue) -> JSONValue {
        guard case .object(let present) = self, case .object(let given) = other else { return other }
        let members = present.map { member in
            JSONMember(
                key: member.key,
                value: other[member.key].map { member.value.merged(with: $0) } ?? member.value)
        }
        return .object(members + given.filter { self[$0.key] == nil })
    }
}
