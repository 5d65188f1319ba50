/// The fields of a v1 request. Source: FCM REST reference, `projects.messages`, as generated for Google's
/// clients.
package enum FCMSchema {
    package static let request = FCMRecord([
        "validate_only": .flag,
        "message": .record(message),
    ])

    static let message = FCMRecord([
        "name": .text,
        "token": .text, "topic": .text, "condition": .text, "fid": .text,
        "data": .dataMap,
        "notification": .record(FCMRecord(["title": .text, "body": .text, "image": .text])),
        "android": .record(android),
        "webpush": .record(webpush),
        "apns": .record(apns),
        "fcm_options": .record(FCMRecord(["analytics_label": .text])),
    ])

    private static let android = FCMRecord([
        "collapse_key": .text,
        "priority": .choice(["NORMAL", "HIGH"]),
        "ttl": .duration(most: mostSeconds),
        "restricted_package_name": .text,
        "data": .dataMap,
        "notification": .record(androidNotification),
        "fcm_options": .record(FCMRecord(["analytics_label": .text])),
        "direct_boot_ok": .flag,
        "bandwidth_constrained_ok": .flag,
        "restricted_satellite_ok": .flag,
    ])

    /// "The maximum time to live supported is 4 weeks".
    package static let mostSeconds = 2_419_200

    private static let androidNotification = FCMRecord([
        "title": .text, "body": .text, "icon": .text, "color": .color, "sound": .text, "tag": .text,
        "click_action": .text, "body_loc_key": .text, "body_loc_args": .list(.text), "title_loc_key": .text,
        "title_loc_args": .list(.text), "channel_id": .text, "ticker": .text, "sticky": .flag,
        "event_time": .timestamp, "local_only": .flag,
        "notification_priority": .choice(
            ["UNSPECIFIED", "MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map { "PRIORITY_\($0)" }),
        "default_sound": .flag, "default_vibrate_timings": .flag, "default_light_settings": .flag,
        "vibrate_timings": .list(.duration(most: nil)),
        "visibility": .choice(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "notification_count": .whole,
        "light_settings": .record(lightSettings),
        "image": .text,
        "bypass_proxy_notification": .flag,
        "proxy": .choice(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    ])

    private static let lightSettings = FCMRecord([
        "color": .record(
            FCMRecord(["red": .fraction, "green": .fraction, "blue": .fraction, "alpha": .fraction])),
        "light_on_duration": .duration(most: nil),
        "light_off_duration": .duration(most: nil),
    ])

    private static let webpush = FCMRecord([
        "headers": .textMap,
        "data": .textMap,
        "notification": .object,
        "fcm_options": .record(FCMRecord(["link": .text, "analytics_label": .text])),
    ])

    private static let apns = FCMRecord([
        "headers": .textMap,
        "payload": .object,
        "fcm_options": .record(FCMRecord(["analytics_label": .text, "image": .text])),
        "live_activity_token": .text,
    ])
}
