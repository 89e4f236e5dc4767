//go:build !full

package main

// service and operating are empty, because a build without the tag full omits the service.
var service, operating []verbSpec
