// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Debian's Chromium without a window, looking at the page. */
final class Browser implements AutoCloseable {
    private final ChromeDriver driver;

    Browser(URI page) {
        ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(installed("chromedriver"))
                .withEnvironment(Map.of("SE_OFFLINE", "true", "PATH", System.getenv("PATH"),
                        "HOME", System.getProperty("user.home")))
                .build();
        ChromeOptions options = new ChromeOptions();
        options.setBinary(installed("chromium"));
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--hide-scrollbars");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        driver = new ChromeDriver(service, options);
        driver.get(page.toString());
    }

    private static File installed(String program) {
        Path path = Path.of("/usr/bin", program);
        assertThat(path).as("Debian's packages chromium and chromium-driver, see ./netio test --spring").isExecutable();
        return path.toFile();
    }

    /** Shows the page as a screen of this size does, and in a dark or a light scheme. */
    void look(int width, int height, boolean dark) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features",
                List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    void reload() {
        driver.navigate().refresh();
    }

    WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    String text(String selector) {
        return String.valueOf(run("return document.querySelector(arguments[0]).textContent", selector));
    }

    /** The number that an element shows; -1 before it shows one. */
    long number(String selector) {
        String text = text(selector).replace(",", "");
        return text.matches("[0-9]+") ? Long.parseLong(text) : -1;
    }

    Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Waits until it is so, and says what the page shows if it never is. */
    void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + RunningApplication.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(() -> what + "; the page shows " + run("return document.body.innerText"))
                    .isLessThan(end);
            Thread.sleep(50); // each question is a command to the browser
        }
    }

    /** What the page has written to the console since the last time, and what could not be loaded. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::toString).toList();
    }

    /** Writes a picture of the whole page, if {@code netio.test.pictures} names a folder for it. */
    void picture(String name) throws IOException {
        String folder = System.getProperty("netio.test.pictures", "");
        if (!folder.isEmpty()) {
            Object size = run("return [document.documentElement.clientWidth, document.documentElement.scrollHeight]");
            List<?> numbers = (List<?>) Objects.requireNonNull(size);
            Map<String, Object> picture = driver.executeCdpCommand("Page.captureScreenshot", Map.of("format", "png",
                    "captureBeyondViewport", true, "clip", Map.of("x", 0, "y", 0, "width", numbers.get(0),
                            "height", numbers.get(1), "scale", 1)));
            Files.createDirectories(Path.of(folder));
            Files.write(Path.of(folder, name + ".png"), OutputType.BYTES.convertFromBase64Png((String) picture.get("data")));
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
