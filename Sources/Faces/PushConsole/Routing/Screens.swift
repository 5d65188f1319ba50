/// The list of all screens.
package enum Screens {
    package static let all: [any ScreenGroup.Type] = [
        HomeScreens.self, AccessScreens.self, ComposerScreens.self,
        DeliveryScreens.self, CompareScreens.self, TemplateScreens.self,
        AlarmScreens.self, AccountScreens.self, QuarantineScreens.self, HostScreens.self,
        WebhookScreens.self, StoreScreens.self, TokenScreens.self, PeopleScreens.self,
        OwnAccountScreens.self, AuditScreens.self, ConfigurationScreens.self,
        SubscriberScreens.self, ImportScreens.self, JobScreens.self, ServiceScreens.self, AppScreens.self,
    ]

    package static var routes: [ConsoleRoute] { all.flatMap { $0.routes } }
}
