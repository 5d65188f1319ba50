/// The list of all screens.
package enum Screens {
    package static let all: [any ScreenGroup.Type] = [
        HomeScreens.self, AccessScreens.self,
        SubscriberScreens.self, ImportScreens.self, JobScreens.self, ServiceScreens.self, AppScreens.self,
    ]

    package static var routes: [ConsoleRoute] { all.flatMap { $0.routes } }
}
